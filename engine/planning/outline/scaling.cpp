#include "engine/planning/outline/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "engine/devices/devices.hpp"

namespace fdtd {
namespace {

double plane_bytes(const Plan& plan) {
  const double value = plan.precision == Precision::f32 ? sizeof(float) : sizeof(double);
  return value * plan.grid.size[0] * plan.grid.size[1];
}

}  // namespace

std::vector<std::int64_t> slab_bytes(const Plan& plan, std::span<const PlaneCounts> counts,
                                     const std::vector<Slab>& slabs) {
  std::vector<std::int64_t> bytes;
  Plan shape;  // of a slab
  shape.precision = plan.precision;
  shape.grid = plan.grid;
  shape.stencil = plan.stencil;
  for (const Slab& slab : slabs) {
    shape.grid.size[2] = slab.end_plane() - slab.first_plane();
    const auto planes =
        counts.subspan(static_cast<std::size_t>(slab.first_plane()), static_cast<std::size_t>(shape.grid.size[2]));
    bytes.push_back(cuda_state_bytes(shape, sum_of(planes)));
  }
  return bytes;
}

int gpus_needed(const Plan& plan, std::span<const PlaneCounts> counts, std::int64_t memory_of_one) {
  const int max = max_slabs(plan, counts);
  const double total = 2.0 * plane_bytes(plan) * plan.grid.size[2];
  const double min = std::max(1.0, std::ceil(total / static_cast<double>(std::max<std::int64_t>(memory_of_one, 1))));
  if (min > max) return 0;
  for (int count = static_cast<int>(min); count <= max; ++count)
    if (std::ranges::max(slab_bytes(plan, counts, split(plan, counts, count))) <= memory_of_one) return count;
  return 0;
}

StepBytes step_bytes(const Plan& plan, std::span<const PlaneCounts> counts) {
  const std::vector<double> costs = plane_costs(plan, counts);
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

Interconnect between_machines(Interconnect within) {
  within.link = 45e9;
  within.latency = 20e-6;
  return within;
}

std::vector<ScalingPoint> scaling_of(const StepBytes& bytes, int max_slabs, const Interconnect& within, int max_gpus) {
  std::vector<ScalingPoint> points;
  for (int gpus = 1; gpus <= max_gpus; gpus *= 2) {
    const Interconnect link = gpus > gpus_a_machine ? between_machines(within) : within;
    points.push_back(
        {gpus, gpus <= max_slabs ? strong_efficiency(bytes, gpus, link) : 0.0, weak_efficiency(bytes, gpus, link)});
  }
  return points;
}

}  // namespace fdtd
