// Volume and surfaces of the room on its grid.
#pragma once

#include <map>
#include <string>

#include "engine/planning/build/room_voxels.hpp"

namespace fdtd {

// Of a room on its grid.
struct RoomExtent {
  double volume = 0.0;                  // m3 of air
  std::map<std::string, double> areas;  // m2, by the scene's material
  double edges = 0.0;                   // m, of a box
};
// A box needs no voxels; those of a mesh are summed.
RoomExtent extent_of(const Scene& scene, const GridChoice& choice, const RoomVoxels& room);

}  // namespace fdtd
