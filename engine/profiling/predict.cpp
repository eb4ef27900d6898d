#include "engine/profiling/predict.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/planning/room_voxels.hpp"

namespace fdtd {
namespace {

// The material with the highest cost.
std::string with_most_branches(const std::vector<MaterialFit>& materials) {
  return std::max_element(
             materials.begin(), materials.end(),
             [](const MaterialFit& a, const MaterialFit& b) { return a.branches.size() < b.branches.size(); })
      ->name;
}

}  // namespace

double predict_seconds(const Scene& scene, const Planned& planned, const Target& target, int threads) {
  const Grid& grid = planned.plan.grid;
  GridChoice small = planned.choice;
  const double ratio = static_cast<double>(grid.nodes()) / static_cast<double>(probe_nodes(target));
  if (ratio > 1.0) {
    const double shrink = std::cbrt(ratio);
    for (std::size_t d = 0; d < 3; ++d) small.grid.size[d] = std::max(1, static_cast<int>(grid.size[d] / shrink));
  }
  Plan probe;
  if (ratio > 1.0) {
    RoomVoxels room;
    room.voxels =
        thinned_room(planned.plan.air, small.grid.size, small.grid.spacing, with_most_branches(planned.materials));
    probe = build_plan(scene, small, planned.materials, std::move(room));
  } else if (planned.outline) {
    probe = build_plan(scene, small, planned.materials, make_room(scene, small));
  }
  const Plan& plan = ratio > 1.0 || planned.outline ? probe : planned.plan;
  BackendOptions options;
  options.threads = threads;
  const auto backend = make_backend(target, options);
  backend->load(plan, whole(plan));
  const Timing timing = backend->profile(3);
  return timing.ctpn_ns * 1e-9 * static_cast<double>(grid.nodes()) * static_cast<double>(planned.plan.steps) *
         static_cast<double>(std::max<std::size_t>(1, planned.plan.sources.size()));
}

}  // namespace fdtd
