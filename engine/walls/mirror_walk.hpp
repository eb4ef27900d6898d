// Walks on the voxels in which every face between air and wall is a mirror: behind a wall lies the image of what is in
// front of it. A walk of m steps along one axis ends where fold(p + m) says in the node's own run of air
// (plan/near_wall.hpp), and never crosses a wall, however thin.
#pragma once

#include <array>
#include <cstddef>
#include <cstdlib>

namespace fdtd {

using Voxel = std::array<int, 3>;

// Whether a walk leads from the air voxel `at` to its neighbour `next` along `axis`. Air that also knows closed passages
// between voxels has its own (transducers/taps.cpp).
template <class Air>
bool leads(const Air& air, const Voxel& at, const Voxel& next, std::size_t axis) {
  static_cast<void>(at), static_cast<void>(axis);
  return air(next[0], next[1], next[2]);
}

// `steps` steps (signed) along `axis` from the air voxel `at`; `air(x, y, z)`: true in air.
template <class Air>
Voxel folded_walk(const Air& air, Voxel at, std::size_t axis, int steps) {
  int direction = steps < 0 ? -1 : 1;
  for (int left = std::abs(steps); left > 0; --left) {
    Voxel next = at;
    next[axis] += direction;
    if (leads(air, at, next, axis)) {
      at = next;
    } else {
      direction = -direction;  // the image of the first voxel behind a wall is the voxel in front of it
    }
  }
  return at;
}

// All walks from `from` by `offset`, axis by axis in every order: calls visit(end, sixths), sixths / 6 the fraction of
// one order. The average over the orders makes the composed fold symmetric (docs/explanation/walls.md, section 3); at
// planes, edges and corners all orders end in the same voxel.
template <class Air, class Visit>
void folded_walks(const Air& air, const Voxel& from, const Voxel& offset, const Visit& visit) {
  static constexpr std::array<std::array<std::size_t, 3>, 6> orders = {
      {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}, {1, 0, 2}, {0, 2, 1}}};
  for (const auto& order : orders) {
    Voxel at = from;
    for (const std::size_t axis : order) at = folded_walk(air, at, axis, offset[axis]);
    visit(at, 1);
  }
}

}  // namespace fdtd
