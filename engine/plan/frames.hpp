// The frames of a plan's snapshots: their sizes, and the state of frames that are being summed.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/plan/plan.hpp"

namespace fdtd {

std::array<std::int64_t, 3> frame_size(const Plan& plan, const SnapshotPlan& snapshot);  // x, y, z; 1 across a plane
std::int64_t frame_values(const Plan& plan, const SnapshotPlan& snapshot);
// A frame sums the field of so many steps before and after its middle.
std::int64_t frame_half(const Plan& plan);
// The frames of the snapshot that include the field of `step`: [first, last).
std::pair<std::int64_t, std::int64_t> frames_at(const SnapshotPlan& snapshot, std::int64_t step, std::int64_t half);
// Bytes of the frames that are being summed at once, at most.
std::int64_t snapshot_memory(const Plan& plan);
// Bytes on disk of all frames of `sources` sources.
std::int64_t snapshot_bytes(const Plan& plan, std::int64_t sources);

// A frame that is being summed: part of the state of a run.
struct PartialFrame {
  std::int64_t snapshot = 0, frame = 0;  // indices into Plan::snapshots and SnapshotPlan::steps
  std::vector<float> values;
  bool operator==(const PartialFrame&) const = default;
};

}  // namespace fdtd
