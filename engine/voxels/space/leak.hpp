// The position of a leak: the narrowest point of the widest path out of a room.
#pragma once

#include <array>

#include "engine/voxels/space/space_parts.hpp"

namespace fdtd {

struct Leak {
  std::array<double, 3> voxel{};  // its position in voxels; centres are at halves
  double width = 0.0;             // approximate, in voxels
};

// `start` is a voxel from which open links lead to the border of the grid. Among all paths out the function takes the
// one whose smallest clearance from walls is largest (maximin path, by buckets), and on it the point that is
// narrowest in proportion to the widest points before and after it. Memory: two bytes a voxel and a queue.
Leak find_leak(const std::array<int, 3>& size, const OpenLinks& open, const std::array<int, 3>& start);

}  // namespace fdtd
