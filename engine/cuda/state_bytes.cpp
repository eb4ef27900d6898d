// What a room takes on the GPU, from the plan alone: the same arrays as room.cpp makes, near-wall tables by what their nodes
// need at most where no two units are alike.
#include <algorithm>

#include "engine/backend.hpp"
#include "engine/cuda/energy_tables.hpp"
#include "engine/cuda/near.hpp"
#include "engine/cuda/sites.hpp"

namespace fdtd {

std::int64_t cuda_state_bytes(const Plan& plan) {
  const std::size_t value = plan.precision == Precision::f32 ? sizeof(float) : sizeof(double);
  const cuda::Layout layout(plan.grid.size, plan.stencil.radius, value);
  const Boundary& b = plan.boundary;
  const auto near = static_cast<std::size_t>(plan.near_wall.node_count);
  const std::size_t lanes = 2 * near * 2 * sizeof(std::uint32_t), units = near / 8 * 12;
  const std::size_t segments = plan.near_wall.segments.size() * sizeof(cuda::SegmentPlace);
  const std::size_t sites = b.nodes.size() * (3 * sizeof(std::uint32_t) + 4 * value);
  const std::size_t branches = static_cast<std::size_t>(b.branch_begin.back()) * 2 * value;
  return 2 * layout.bytes() + static_cast<std::int64_t>(lanes + units + segments + sites + branches);
}

}  // namespace fdtd
