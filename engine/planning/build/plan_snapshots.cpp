#include "engine/planning/build/plan_snapshots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.hpp"
#include "engine/plan/frames.hpp"
#include "engine/transducers/channels.hpp"

namespace fdtd {
namespace {

constexpr double narrowness = 3.5;  // 2 pi max_frequency times the Gaussian's standard deviation
constexpr double reach = 4.5;       // summed standard deviations: the rest is below 4e-5 of the peak

}  // namespace

std::vector<double> snapshot_pulse(double bandwidth, double time_step) {
  const double deviation = narrowness / (2.0 * std::numbers::pi * bandwidth) / time_step;  // steps
  const auto half = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(reach * deviation)));
  std::vector<double> g;
  for (std::int64_t j = -half; j <= half; ++j)
    g.push_back(std::exp(-0.5 * std::pow((static_cast<double>(j) - 0.5) / deviation, 2)));
  double peak = 0.0;
  for (std::size_t j = 1; j < g.size(); ++j) peak = std::max(peak, std::abs(g[j] - g[j - 1]));
  for (double& value : g) value /= peak;
  return g;
}

void plan_snapshots(const Scene& scene, const GridChoice& choice, Plan& plan) {
  if (scene.output.snapshots.empty()) return;
  const double T = plan.grid.time_step;
  plan.snapshot_pulse = snapshot_pulse(choice.max_frequency, T);
  const std::int64_t half = frame_half(plan);
  for (const SnapshotSpec& wish : scene.output.snapshots) {
    SnapshotPlan& snapshot = plan.snapshots.emplace_back();
    snapshot.name = fmt::format("{}{}", wish.plane, plan.snapshots.size());
    if (wish.every < T)
      throw Error(Status::scene,
                  fmt::format("output.snapshots[{}]: every = {:g} s is less than the time step, {:.4g} s",
                              plan.snapshots.size(), wish.every, T));
    snapshot.axis = wish.plane == "volume" ? 3 : wish.plane[0] - 'x';
    if (snapshot.axis < 3) {
      const auto d = static_cast<std::size_t>(snapshot.axis);
      const double node = (wish.position + choice.offset[d]) / plan.grid.spacing[d] - 0.5;
      snapshot.index = static_cast<int>(std::clamp(std::round(node), 0.0, plan.grid.size[d] - 1.0));
    }
    const double end = wish.end.value_or(scene.simulation.duration);
    for (std::int64_t k = 0;; ++k) {
      const double time = wish.begin + static_cast<double>(k) * wish.every;
      if (time > end * (1.0 + 1e-12)) break;
      const std::int64_t step = std::llround(time / T);
      if (step + half > plan.steps) break;
      snapshot.steps.push_back(step);
    }
    if (snapshot.steps.empty())
      throw Error(
          Status::scene,
          fmt::format("output.snapshots[{}]: no frame fits into the run: each takes the field of {:.4g} s before "
                      "and after it",
                      plan.snapshots.size(), static_cast<double>(half) * T),
          "an earlier begin, or a longer duration");
  }
}

std::vector<std::string> snapshot_remarks(const Scene& scene, const Plan& plan) {
  std::vector<std::string> remarks;
  if (scene.output.snapshots.empty()) return remarks;
  std::size_t first = 0;
  for (const SourceSpec& source : scene.sources) {
    const std::size_t parts = channel_count(source.directivity);
    if (parts > 1 && joint_pass_of(plan, first) == nullptr)
      remarks.push_back(fmt::format(
          "snapshots of source {} show its omnidirectional part alone, since its {} parts have a pass each: a "
          "receiver is too near to it beside a wall that does not lie along the grid; responses have them all",
          source.name, parts));
    first += parts;
  }
  return remarks;
}

}  // namespace fdtd
