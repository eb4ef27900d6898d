// The two steps of make_boundary (wall_law.hpp) around the choice of who reads several nodes (tap_owners.hpp).
#pragma once

#include <vector>

#include "engine/plan/plan.hpp"
#include "engine/plan/voxels.hpp"
#include "engine/walls/tap_owners.hpp"

namespace fdtd {

// A site with its plain law for every law of every node, ordered by node, then law. Only that of a single face may read
// several nodes. Throws Error (status resource) beyond 2^32 sites.
std::vector<WallSite> collect_sites(const Voxels& voxels, const std::vector<WallLaw>& laws, const Grid& grid);

// The boundary of sites whose laws are chosen.
Boundary boundary_of(const std::vector<WallSite>& sites, std::vector<WallLaw> laws, const NearWall& near_wall);

}  // namespace fdtd
