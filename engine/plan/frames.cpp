#include "engine/plan/frames.hpp"

#include <algorithm>

namespace fdtd {

std::int64_t frame_half(const Plan& plan) { return static_cast<std::int64_t>(plan.snapshot_pulse.size() / 2); }

std::pair<std::int64_t, std::int64_t> frames_at(const SnapshotPlan& snapshot, std::int64_t step, std::int64_t half) {
  const auto& steps = snapshot.steps;
  const auto first = std::lower_bound(steps.begin(), steps.end(), step - half);
  const auto last = std::upper_bound(first, steps.end(), step + half);
  return {first - steps.begin(), last - steps.begin()};
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
    std::int64_t max = 0;  // frames at once
    for (const std::int64_t step : snapshot.steps) {
      const auto [first, last] = frames_at(snapshot, step + frame_half(plan), frame_half(plan));
      max = std::max(max, last - first);
    }
    bytes += 4.0 * static_cast<double>(frame_values(plan, snapshot)) * static_cast<double>(max);
  }
  return static_cast<std::int64_t>(std::min(bytes, 4e18));
}

std::int64_t snapshot_bytes(const Plan& plan, std::int64_t sources) {
  double bytes = 0.0;
  for (const SnapshotPlan& snapshot : plan.snapshots)
    bytes += static_cast<double>(frame_values(plan, snapshot)) *
             (1.0 + 4.0 * static_cast<double>(sources) * static_cast<double>(snapshot.steps.size()));
  return static_cast<std::int64_t>(std::min(bytes, 4e18));
}

}  // namespace fdtd
