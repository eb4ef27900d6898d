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

// How the frames of a pass are summed: the one at step n is sum_j weights[j] u^{n + late + j - half}.
struct FrameSum {
  std::vector<double> weights;  // 2 half + 1
  std::int64_t late = 0;        // steps by which the pass sends late
};
// Of the pass that `source` begins. An omnidirectional or measured source shows the differences of the plan's pulse, g_{-m}
// - g_{1-m}; patterns of the cardioid family show its negative second differences, as what they send is differentiated twice: by a
// joint pass (joint_pass.hpp), or in space by a figure-eight, whose field is its integral over time (responses/render.hpp).
// Peaks are 1 as free-field pressure at 1 m, on the axis and far from it.
FrameSum frame_sum(const Plan& plan, std::size_t source);

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
