// How processes that voxelise a mesh together divide its planes: the surface makes the work, not the planes.
#pragma once

#include <array>
#include <vector>

#include "scenes/mesh/mesh.hpp"

namespace fdtd {

// The planes of voxels along z at which parts of about the same work begin, and the end: count + 1 numbers from 0 to
// size[2]. `corner`: of the grid in the coordinates of the mesh (m).
std::vector<int> plane_borders(const Mesh& mesh, const std::array<int, 3>& size, const std::array<double, 3>& spacing,
                               const std::array<double, 3>& corner, int count);

}  // namespace fdtd
