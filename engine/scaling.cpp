#include "engine/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/backend.hpp"
#include "engine/error.hpp"

namespace fdtd {
namespace {

double plane_bytes(const Plan& plan) {
  const double value = plan.precision == Precision::f32 ? sizeof(float) : sizeof(double);
  return value * plan.grid.size[0] * plan.grid.size[1];
}

}  // namespace

std::vector<std::int64_t> slab_bytes(const Plan& plan, const std::vector<Slab>& slabs) {
  const std::vector<double> costs = plane_costs(plan);
  const double plane = plane_bytes(plan), bare = 3.0 * plane;
  const double extra = std::accumulate(costs.begin(), costs.end(), 0.0) - bare * static_cast<double>(costs.size());
  const double fields = 2.0 * plane * plan.grid.size[2];
  const double walls = std::max(0.0, static_cast<double>(cuda_state_bytes(plan)) - fields);
  std::vector<std::int64_t> bytes;
  for (const Slab& slab : slabs) {
    const double here = std::accumulate(costs.begin() + slab.z_begin, costs.begin() + slab.z_end, 0.0);
    const double share = extra > 0.0 ? (here - bare * slab.planes()) / extra : 0.0;
    const double planes = slab.end_plane() - slab.first_plane() + 2.0 * plan.stencil.radius;
    bytes.push_back(static_cast<std::int64_t>(2.0 * plane * planes + share * walls));
  }
  return bytes;
}

int gpus_needed(const Plan& plan, std::int64_t memory_of_one) {
  const int most = most_slabs(plan);
  const double total = 2.0 * plane_bytes(plan) * plan.grid.size[2];
  const double least = std::max(1.0, std::ceil(total / static_cast<double>(std::max<std::int64_t>(memory_of_one, 1))));
  if (least > most) return 0;
  for (int count = static_cast<int>(least); count <= most; ++count)
    if (std::ranges::max(slab_bytes(plan, split(plan, count))) <= memory_of_one) return count;
  return 0;
}

StepBytes step_bytes(const Plan& plan) {
  const std::vector<double> costs = plane_costs(plan);
  return {std::accumulate(costs.begin(), costs.end(), 0.0), plan.stencil.radius * plane_bytes(plan)};
}

Interconnect speeds_of(const StepBytes& bytes, double seconds_of_one, Interconnect interconnect) {
  interconnect.memory = bytes.step / std::max(seconds_of_one - interconnect.launches, 1e-9);
  return interconnect;
}

double step_seconds(const StepBytes& bytes, int gpus, const Interconnect& interconnect) {
  const double inside = bytes.step / gpus / interconnect.memory;
  if (gpus == 1) return inside + interconnect.launches;
  const double halo = interconnect.latency + bytes.halo / interconnect.link;
  const double borders = gpus > 2 ? 2.0 : 1.0;
  return std::max(inside, halo) + interconnect.launches + borders * bytes.halo / interconnect.edges;
}

double strong_efficiency(const StepBytes& bytes, int gpus, const Interconnect& interconnect) {
  return step_seconds(bytes, 1, interconnect) / (gpus * step_seconds(bytes, gpus, interconnect));
}

double weak_efficiency(const StepBytes& bytes, int gpus, const Interconnect& interconnect) {
  const StepBytes longer{bytes.step * gpus, bytes.halo};
  return step_seconds(bytes, 1, interconnect) / step_seconds(longer, gpus, interconnect);
}

}  // namespace fdtd
