// Makes the room of the acoustic diffusion equation (diffusion_room.hpp) from voxels, and looks along straight paths in it.
#pragma once

#include <array>
#include <vector>

#include "engine/estimate/diffusion_room.hpp"
#include "engine/plan/voxels.hpp"

namespace fdtd {

// From voxels whose air is connected to the sources. `volume`: of the air, m3; areas and volumes of the voxels are scaled
// to it. Air voxels that touch others through an edge or a corner alone become wall, because trilinear elements would
// join them there; voxels of sources and receivers stay.
DiffusionRoom make_diffusion_room(const Voxels& voxels, double volume, std::vector<std::array<double, 3>> sources,
                                  std::vector<std::array<double, 3>> receivers);

// Is the straight line between two places in air? In grid coordinates, m.
bool in_sight(const DiffusionRoom& room, const std::array<double, 3>& from, const std::array<double, 3>& to);

double distance_between(const std::array<double, 3>& a, const std::array<double, 3>& b);

// Sound goes straight where a source sees at least this fraction of its part, or at least so many of its mean free
// paths far:
// among columns and screens level falls as that of diffuse sound, but along a corridor or a flat room with furniture as
// between smooth walls.
inline constexpr double seen_part = 0.9;
inline constexpr double long_sight = 5.0;

struct StraightPaths {
  double in_sight = 0.0;      // fraction of the source's part, by volume
  double farthest = 0.0;      // m, in sight
  std::vector<float> length;  // by cell: from the source, m; 0 out of its sight and part; empty where it sees less
};
StraightPaths straight_paths(const DiffusionRoom& room, const std::array<double, 3>& source);

}  // namespace fdtd
