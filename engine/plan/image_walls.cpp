#include "engine/plan/image_walls.hpp"

#include <algorithm>

namespace fdtd {

ImageWalls image_walls_of(const Plan& plan, const Slab& slab) {
  const auto& size = plan.grid.size;
  const bool walled = plan.near_wall.node_count > 0;  // plans that only test a kernel have no walls
  const bool box = plan.air.all_air() && plan.near_wall.masses.empty();
  if (!walled || !box || *std::min_element(size.begin(), size.end()) < plan.stencil.radius) return {};
  return {true, !slab.below, !slab.above};
}

}  // namespace fdtd
