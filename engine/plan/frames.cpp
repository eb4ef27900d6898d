#include "engine/plan/frames.hpp"

#include <algorithm>
#include <cmath>

#include "engine/plan/joint_pass.hpp"

namespace fdtd {
namespace {

// The middle of second differences of a pulse, the least of all: g_j - (1 + pole) g_{j+1} + pole g_{j+2}.
double middle_of_second(const std::vector<double>& g, double pole) {
  double least = 0.0;
  for (std::size_t j = 0; j + 2 < g.size(); ++j)
    least = std::min(least, g[j] - (1.0 + pole) * g[j + 1] + pole * g[j + 2]);
  return least < 0.0 ? least : -1.0;
}

}  // namespace

std::int64_t frame_half(const Plan& plan) { return static_cast<std::int64_t>(plan.snapshot_pulse.size() / 2); }

FrameSum frame_sum(const Plan& plan, std::size_t source) {
  const std::vector<double>& g = plan.snapshot_pulse;
  FrameSum sum{g, 0};
  const JointPass* const joint = joint_pass_of(plan, source);
  if (joint != nullptr) sum.late = joint->lead;
  if (joint != nullptr && joint->pole > 0.0) {
    // The pass sends (1 - 1/z) (1 - pole/z) / (1 - zero/z). Means of neighbours put the centre at step 0.
    std::vector<double> centred(g.size());
    for (std::size_t j = 0; j < g.size(); ++j) centred[j] = 0.5 * (g[j] + (j > 0 ? g[j - 1] : 0.0));
    const double scale = joint->parts.fraction / middle_of_second(centred, joint->pole);
    for (std::size_t j = 0; j < g.size(); ++j)
      sum.weights[j] = scale * (centred[j] - joint->zero * (j + 1 < g.size() ? centred[j + 1] : 0.0));
  } else if (joint == nullptr && degree(plan.sources[source].operation) == 1) {
    const double scale = plan.grid.sound_speed * plan.grid.time_step / middle_of_second(g, 1.0);
    for (double& weight : sum.weights) weight *= scale;
  }
  return sum;
}

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
