#include "engine/cpu/field/axis_order.hpp"

#include <algorithm>
#include <tuple>

namespace fdtd::cpu {
namespace {

using Order = std::array<std::size_t, 3>;  // of axes: the new axis d is the old order[d]

Order order_of(const std::array<int, 3>& size) {
  Order order = {0, 1, 2};
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return size[a] > 1 && size[b] == 1; });
  return order;
}

template <class Triple>
Triple permuted(const Triple& triple, const Order& order) {
  return {triple[order[0]], triple[order[1]], triple[order[2]]};
}

AirMask permuted(const AirMask& air, const Order& order) {
  if (air.all_air()) return AirMask(permuted(air.size(), order));
  const auto [nx, ny, nz] = air.size();
  std::vector<char> nodes;
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) nodes.push_back(air(x, y, z) ? 1 : 0);
  return {permuted(air.size(), order), nodes};
}

// Joins segments that now follow each other along x.
std::vector<WallSegment> joined(std::vector<WallSegment> segments, std::uint64_t row) {
  std::ranges::sort(segments, {}, [](const WallSegment& s) { return std::tuple(s.pattern, s.node); });
  std::vector<WallSegment> joined;
  for (const WallSegment& segment : segments) {
    if (!joined.empty()) {
      WallSegment& last = joined.back();
      if (last.pattern == segment.pattern && last.node + last.length == segment.node &&
          last.node / row == segment.node / row) {
        last.length += segment.length;
        continue;
      }
    }
    joined.push_back(segment);
  }
  std::ranges::sort(joined, {}, [](const WallSegment& s) { return std::tuple(s.node, s.pattern); });
  return joined;
}

}  // namespace

int flat_axis(const std::array<int, 3>& size, int axis) {
  const Order order = order_of(size);
  return static_cast<int>(std::ranges::find(order, static_cast<std::size_t>(axis)) - order.begin());
}

std::optional<Plan> flattened(const Plan& plan) {
  const Order order = order_of(plan.grid.size);
  if (order == Order{0, 1, 2}) return {};
  Plan flat = plan;
  flat.grid.size = permuted(plan.grid.size, order);
  flat.grid.spacing = permuted(plan.grid.spacing, order);
  flat.stencil.courant = permuted(plan.stencil.courant, order);
  for (Term& term : flat.stencil.terms) term.offset = permuted(term.offset, order);
  flat.air = permuted(plan.air, order);
  for (RowEntry& entry : flat.near_wall.entries) entry.offset = permuted(entry.offset, order);
  flat.near_wall.segments = joined(plan.near_wall.segments, static_cast<std::uint64_t>(flat.grid.size[0]));
  for (WallLaw& law : flat.boundary.laws) {
    const auto axis = std::ranges::find(order, static_cast<std::size_t>(law.axis));
    law.axis = static_cast<int>(axis - order.begin());
  }
  return flat;
}

}  // namespace fdtd::cpu
