// Where a room that should be closed is not: the narrowest pass on the widest way out.
#pragma once

#include <array>

#include "scenes/space_parts.hpp"

namespace fdtd {

struct Leak {
  std::array<double, 3> voxel{};  // coordinates of the pass in voxels, centres at halves
  double width = 0.0;             // about, in voxels
};

// `start` is a voxel from which the grid's rim can be reached along open links. Of all ways out the one is taken whose
// narrowest clearance from walls is widest (maximin path, by buckets), and on it the place that is narrowest in
// proportion to the widest places before and behind it. Takes two bytes a voxel and a queue.
Leak find_leak(const std::array<int, 3>& size, const OpenLinks& open, const std::array<int, 3>& start);

}  // namespace fdtd
