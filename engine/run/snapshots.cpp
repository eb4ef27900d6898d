#include "engine/run/snapshots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "base/error.hpp"

namespace fdtd {

SnapshotSums::SnapshotSums(const Plan& plan, std::size_t source, Done done, std::vector<PartialFrame> under_way)
    : plan_(plan),
      done_(std::move(done)),
      sum_(frame_sum(plan, source)),
      half_(frame_half(plan)),
      frames_(std::move(under_way)) {
  for (const PartialFrame& one : frames_) {
    const bool known = one.snapshot >= 0 && one.snapshot < static_cast<std::int64_t>(plan.snapshots.size());
    const SnapshotPlan* snapshot = known ? &plan.snapshots[static_cast<std::size_t>(one.snapshot)] : nullptr;
    if (snapshot == nullptr || one.frame < 0 || one.frame >= static_cast<std::int64_t>(snapshot->steps.size()) ||
        static_cast<std::int64_t>(one.values.size()) != frame_values(plan, *snapshot))
      throw Error(Status::file,
                  fmt::format("the checkpoint's /frames/{} (snapshot {}, frame {}, {} values) is not one of the plan's",
                              &one - frames_.data(), one.snapshot, one.frame, one.values.size()),
                  "the file is damaged, or another program wrote it");
  }
}

std::int64_t SnapshotSums::next(std::int64_t step) const {
  std::int64_t next = std::numeric_limits<std::int64_t>::max();
  if (!done_) return next;
  for (const SnapshotPlan& snapshot : plan_.snapshots) {
    const auto [first, last] = frames_at(snapshot, step + 1 - sum_.late, half_);
    if (last > first) return step + 1;
    if (first < static_cast<std::int64_t>(snapshot.steps.size()))
      next = std::min(next, snapshot.steps[static_cast<std::size_t>(first)] - half_ + sum_.late);
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
  const std::int64_t step = backend.step() - sum_.late;  // of frames
  for (std::size_t s = 0; s < plan_.snapshots.size(); ++s) {
    const SnapshotPlan& snapshot = plan_.snapshots[s];
    const auto [first, last] = frames_at(snapshot, step, half_);
    if (first == last) continue;
    const auto number = static_cast<std::int64_t>(s);
    for (std::int64_t f = first; f < last; ++f) sum_of(number, f);  // all exist before one is referenced
    const bool volume = snapshot.axis == 3;
    const int axis = volume ? 2 : snapshot.axis, planes = volume ? plan_.grid.size[2] : 1;
    plane_.resize(static_cast<std::size_t>(frame_values(plan_, snapshot) / planes));
    for (int p = 0; p < planes; ++p) {
      backend.plane(axis, volume ? p : snapshot.index, plane_);
      for (std::int64_t f = first; f < last; ++f) {
        float* const sum = sum_of(number, f).values.data() + static_cast<std::size_t>(p) * plane_.size();
        const std::int64_t j = step - snapshot.steps[static_cast<std::size_t>(f)] + half_;
        const auto g = static_cast<float>(sum_.weights[static_cast<std::size_t>(j)]);
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
