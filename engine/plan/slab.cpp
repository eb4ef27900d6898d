#include "engine/plan/slab.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "engine/plan/plane_nodes.hpp"

namespace fdtd {
namespace {

int farthest(std::span<const PlaneCounts> counts) { return std::ranges::max(counts, {}, &PlaneCounts::reach).reach; }

// Least number of layers of a slab that holds all that its neighbours read; `last` for the uppermost slab, whose last
// layer may have a plane less than others.
struct MinLayers {
  int other, last;
};
MinLayers min_layers(const Plan& plan, std::span<const PlaneCounts> counts) {
  const int read = plan.stencil.radius + farthest(counts);
  const int planes = plan.grid.size[2], layers = layer_count(planes);
  const int other = (read + layer_planes - 1) / layer_planes;
  int last = other;
  while (last < layers && planes - layer_begin(layers - last, planes) < read) ++last;
  return {other, last};
}

bool flat(const Plan& plan) { return std::ranges::min(plan.grid.size) == 1; }

}  // namespace

std::vector<double> plane_costs(const Plan& plan, std::span<const PlaneCounts> counts) {
  const double value = plan.precision == Precision::f32 ? sizeof(float) : sizeof(double);
  // Bytes of indices for each near-wall segment or site: its node's number, 8, and that of its pattern or law, 4.
  constexpr double tables = 12.0;
  std::vector<double> costs;
  for (const PlaneCounts& plane : counts)
    costs.push_back(3.0 * value * static_cast<double>(plane_nodes(plan)) +
                    3.0 * value * static_cast<double>(plane.segment_nodes) +
                    tables * static_cast<double>(plane.segments + plane.boundary_nodes) +
                    // V and G, q and u, read and written
                    4.0 * value * static_cast<double>(plane.branches + plane.boundary_nodes));
  return costs;
}

int max_slabs(const Plan& plan, std::span<const PlaneCounts> counts) {
  if (flat(plan)) return 1;
  const MinLayers min = min_layers(plan, counts);
  return std::max(1, 1 + (layer_count(plan.grid.size[2]) - min.last) / min.other);
}

std::vector<Slab> split(const Plan& plan, std::span<const PlaneCounts> counts, int count) {
  const int planes = plan.grid.size[2], layers = layer_count(planes);
  if (count <= 1) return {whole(plan)};
  if (flat(plan)) {
    throw Error(Status::resource, fmt::format("a room one cell thick is computed by one rank, not by {}", count));
  }
  const MinLayers min = min_layers(plan, counts);
  if (count > max_slabs(plan, counts)) {
    throw Error(
        Status::resource,
        fmt::format("{} ranks are too many: the grid has {} planes along z, and each rank needs {} for stencil {}",
                    count, planes, min.other * layer_planes, plan.stencil_name),
        fmt::format("at most {} can share it; turn the room so that its longest side is z", max_slabs(plan, counts)));
  }
  const std::vector<double> costs = plane_costs(plan, counts);
  std::vector<double> until{0.0};  // cost of all layers before
  for (int layer = 0; layer < layers; ++layer) {
    until.push_back(std::accumulate(costs.begin() + layer_begin(layer, planes),
                                    costs.begin() + layer_begin(layer + 1, planes), until.back()));
  }
  std::vector<Slab> slabs;
  for (int i = 0, begin = 0; i < count; ++i) {
    const double wanted = until.back() * (i + 1) / count;
    const auto after = std::lower_bound(until.begin(), until.end(), wanted);
    int end = static_cast<int>(after - until.begin());
    if (end > 0 && wanted - until[static_cast<std::size_t>(end - 1)] < *after - wanted) --end;
    if (i + 1 == count) {
      end = layers;
    } else {
      end = std::clamp(end, begin + min.other, layers - min.last - (count - 2 - i) * min.other);
    }
    Slab slab{layer_begin(begin, planes), layer_begin(end, planes), i > 0, i + 1 < count, 0, 0};
    if (slab.below) slab.ghosts_below = counts[static_cast<std::size_t>(slab.z_begin)].reach;
    if (slab.above) slab.ghosts_above = counts[static_cast<std::size_t>(slab.z_end)].reach;
    slabs.push_back(slab);
    begin = end;
  }
  return slabs;
}

}  // namespace fdtd
