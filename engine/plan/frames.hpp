// The frames of a plan's snapshots: their sizes, and those whose sum is under way.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/plan/plan.hpp"

namespace fdtd {

std::array<std::int64_t, 3> frame_size(const Plan& plan, const SnapshotPlan& snapshot);  // x, y, z; 1 across a plane
std::int64_t frame_values(const Plan& plan, const SnapshotPlan& snapshot);
// Steps before and after a frame's middle whose field it sums.
std::int64_t frame_half(const Plan& plan);
// The frames that sum the field of `step`: [first, last).
std::pair<std::int64_t, std::int64_t> frames_at(const SnapshotPlan& snapshot, std::int64_t step, std::int64_t half);
// The largest number of bytes that sums under way take at once.
std::int64_t snapshot_memory(const Plan& plan);
// Bytes on disk of all frames of `sources` sources.
std::int64_t snapshot_bytes(const Plan& plan, std::int64_t sources);

// A frame whose sum is under way: part of a run's state.
struct PartialFrame {
  std::int64_t snapshot = 0, frame = 0;  // of Plan::snapshots, of its steps
  std::vector<float> values;
  bool operator==(const PartialFrame&) const = default;
};

}  // namespace fdtd
