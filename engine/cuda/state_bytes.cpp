// The memory of a room on the GPU, from the plan alone: the arrays of device_plan.cpp. Rooms of whole voxels share their
// near-wall rows; where voxels are cut, every near-wall node is taken to have a row of its own, as long as a run's.
#include <algorithm>

#include "engine/cuda/energy/energy_tables.hpp"
#include "engine/cuda/make_backend.hpp"
#include "engine/cuda/walls/boundary_groups.hpp"
#include "engine/cuda/walls/near_wall.hpp"

namespace fdtd {

std::int64_t cuda_state_bytes(const Plan& shape, const PlaneCounts& walls) {
  const std::size_t value = shape.precision == Precision::f32 ? sizeof(float) : sizeof(double);
  const cuda::Layout layout(shape.grid.size, shape.stencil.radius, value);
  const auto of = [](std::int64_t count) { return static_cast<std::size_t>(count); };
  const std::size_t near = of(walls.near_nodes), places = near * 10;  // solid voxels: a bit each
  const std::size_t of_row = walls.masses > 0 ? of(2 * shape.stencil.radius + 1) * (sizeof(std::int32_t) + value) : 0;
  const std::size_t rows = near * of_row;
  const std::size_t segments = of(walls.segments) * sizeof(cuda::SegmentPlace);
  const std::size_t sites = of(walls.boundary_nodes) * (3 * sizeof(std::uint32_t) + 4 * value);
  const std::size_t branches = of(walls.branches) * branch_state_size * value;
  return 2 * layout.bytes() + static_cast<std::int64_t>(places + rows + segments + sites + branches);
}

std::int64_t cuda_state_bytes(const Plan& plan) { return cuda_state_bytes(plan, sum_of(plane_counts(plan))); }

}  // namespace fdtd
