#include "engine/snapshots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>

#include "engine/capsules.hpp"
#include "engine/error.hpp"

namespace fdtd {
namespace {

constexpr double narrowness = 3.5;  // 2 pi max_frequency times the Gaussian's standard deviation
constexpr double reach = 4.5;       // standard deviations that are summed: the rest is 4e-5 of the peak

std::int64_t half_of(const Plan& plan) { return static_cast<std::int64_t>(plan.snapshot_pulse.size() / 2); }

// The frames that take the field of `step`: [first, last).
std::pair<std::int64_t, std::int64_t> frames_at(const SnapshotPlan& snapshot, std::int64_t step, std::int64_t half) {
  const auto& steps = snapshot.steps;
  const auto first = std::lower_bound(steps.begin(), steps.end(), step - half);
  const auto last = std::upper_bound(first, steps.end(), step + half);
  return {first - steps.begin(), last - steps.begin()};
}

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
  const std::int64_t half = half_of(plan);
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

std::vector<std::string> snapshot_remarks(const Scene& scene) {
  std::vector<std::string> remarks;
  if (scene.output.snapshots.empty()) return remarks;
  for (const SourceSpec& source : scene.sources) {
    const double share = omni_share(source.directivity.pattern);
    if (share == 1.0) continue;
    remarks.push_back(
        share > 0.0
            ? fmt::format("snapshots of source {} show its omnidirectional part, not its {}: responses have both",
                          source.name, source.directivity.pattern)
            : fmt::format("snapshots of source {} show the derivative of a figure-eight's field over time: responses "
                          "have its integral",
                          source.name));
  }
  return remarks;
}

std::array<std::int64_t, 3> frame_size(const Plan& plan, const SnapshotPlan& snapshot) {
  std::array<std::int64_t, 3> size{};
  for (std::size_t d = 0; d < 3; ++d) size[d] = static_cast<int>(d) == snapshot.axis ? 1 : plan.grid.size[d];
  return size;
}

std::int64_t frame_values(const Plan& plan, const SnapshotPlan& snapshot) {
  const auto size = frame_size(plan, snapshot);
  return size[0] * size[1] * size[2];
}

std::int64_t snapshot_memory(const Plan& plan) {
  double bytes = 0.0;
  for (const SnapshotPlan& snapshot : plan.snapshots) {
    std::int64_t most = 0;  // frames at once
    for (const std::int64_t step : snapshot.steps) {
      const auto [first, last] = frames_at(snapshot, step + half_of(plan), half_of(plan));
      most = std::max(most, last - first);
    }
    bytes += 4.0 * static_cast<double>(frame_values(plan, snapshot)) * static_cast<double>(most);
  }
  return static_cast<std::int64_t>(std::min(bytes, 4e18));
}

std::int64_t snapshot_bytes(const Plan& plan) {
  double bytes = 0.0;
  std::int64_t sources = 0;
  for (const Tap& source : plan.sources) sources += read_capsule_name(source.name).hidden ? 0 : 1;
  for (const SnapshotPlan& snapshot : plan.snapshots)
    bytes += static_cast<double>(frame_values(plan, snapshot)) *
             (1.0 + 4.0 * static_cast<double>(sources) * static_cast<double>(snapshot.steps.size()));
  return static_cast<std::int64_t>(std::min(bytes, 4e18));
}

SnapshotSums::SnapshotSums(const Plan& plan, Done done, std::vector<PartialFrame> under_way)
    : plan_(plan), done_(std::move(done)), half_(half_of(plan)), frames_(std::move(under_way)) {
  for (const PartialFrame& one : frames_) {
    const bool known = one.snapshot >= 0 && one.snapshot < static_cast<std::int64_t>(plan.snapshots.size());
    const SnapshotPlan* snapshot = known ? &plan.snapshots[static_cast<std::size_t>(one.snapshot)] : nullptr;
    if (snapshot == nullptr || one.frame < 0 || one.frame >= static_cast<std::int64_t>(snapshot->steps.size()) ||
        static_cast<std::int64_t>(one.values.size()) != frame_values(plan, *snapshot))
      throw Error(Status::file, "the checkpoint holds snapshots of another size than its plan's");
  }
}

std::int64_t SnapshotSums::next(std::int64_t step) const {
  std::int64_t next = std::numeric_limits<std::int64_t>::max();
  if (!done_) return next;
  for (const SnapshotPlan& snapshot : plan_.snapshots) {
    const auto [first, last] = frames_at(snapshot, step + 1, half_);
    if (last > first) return step + 1;
    if (first < static_cast<std::int64_t>(snapshot.steps.size()))
      next = std::min(next, snapshot.steps[static_cast<std::size_t>(first)] - half_);
  }
  return next;
}

PartialFrame& SnapshotSums::sum_of(std::int64_t snapshot, std::int64_t frame) {
  const auto at = std::lower_bound(
      frames_.begin(), frames_.end(), std::tie(snapshot, frame),
      [](const PartialFrame& one, const auto& key) { return std::tie(one.snapshot, one.frame) < key; });
  if (at != frames_.end() && at->snapshot == snapshot && at->frame == frame) return *at;
  const auto values = frame_values(plan_, plan_.snapshots[static_cast<std::size_t>(snapshot)]);
  return *frames_.insert(at, {snapshot, frame, std::vector<float>(static_cast<std::size_t>(values), 0.0F)});
}

void SnapshotSums::take(const Backend& backend) {
  if (!done_) return;
  const std::int64_t step = backend.step();
  for (std::size_t s = 0; s < plan_.snapshots.size(); ++s) {
    const SnapshotPlan& snapshot = plan_.snapshots[s];
    const auto [first, last] = frames_at(snapshot, step, half_);
    if (first == last) continue;
    const auto number = static_cast<std::int64_t>(s);
    for (std::int64_t f = first; f < last; ++f) sum_of(number, f);  // all are there before one is referred to
    const bool volume = snapshot.axis == 3;
    const int axis = volume ? 2 : snapshot.axis, planes = volume ? plan_.grid.size[2] : 1;
    plane_.resize(static_cast<std::size_t>(frame_values(plan_, snapshot) / planes));
    for (int p = 0; p < planes; ++p) {
      backend.plane(axis, volume ? p : snapshot.index, plane_);
      for (std::int64_t f = first; f < last; ++f) {
        float* const sum = sum_of(number, f).values.data() + static_cast<std::size_t>(p) * plane_.size();
        const std::int64_t j = step - snapshot.steps[static_cast<std::size_t>(f)] + half_;
        const auto g = static_cast<float>(plan_.snapshot_pulse[static_cast<std::size_t>(j)]);
        for (std::size_t i = 0; i < plane_.size(); ++i) sum[i] += g * plane_[i];
      }
    }
    // Steps rise, so a frame is done no later than the one after it; the pulse of two may end with the same step.
    for (std::int64_t f = first; f < last && snapshot.steps[static_cast<std::size_t>(f)] + half_ == step; ++f) {
      PartialFrame& whole = sum_of(number, f);
      done_(number, f, whole.values);
      frames_.erase(frames_.begin() + (&whole - frames_.data()));
    }
  }
}

}  // namespace fdtd
