// Snapshots: the pressure on planes of nodes, or everywhere, at chosen times.
//
// A run drives its sources with (1, -1, 0, ...): its field holds everything that a grid can carry, and most of that is
// dispersion beyond the bandwidth. So a frame is what the field would be if the sources sent a smooth pulse instead: the run
// is linear, hence the frame at step n is sum_j g_j u^{n+j} with g the samples of a Gaussian, |j| <= half. The pulse that is
// seen, g_{-m} - g_{1-m} at step m, is the first derivative of a Gaussian, about step 0 because g is taken half a step late; its
// spectrum is largest at max_frequency / 3.5 and 38 dB lower at
// max_frequency. It is scaled to 1 at its peak as free-field pressure at 1 m, and its middle leaves the source at time 0.
// Frames are of the grid's own time: what rendering does after a run (removal of time dispersion, air) is not in them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/backend/backend.hpp"
#include "engine/plan/frames.hpp"

namespace fdtd {

// The sums of one pass.
class SnapshotSums {
 public:
  // `done` gets every frame that is whole; without it nothing is summed. `under_way`: those of a run that goes on, in their order.
  using Done = std::function<void(std::int64_t snapshot, std::int64_t frame, std::span<const float> values)>;
  SnapshotSums(const Plan& plan, Done done, std::vector<PartialFrame> under_way = {});
  // The first step after `step` whose field some frame takes; a very large number when there is none.
  std::int64_t next(std::int64_t step) const;
  // Adds the field of the backend's last step to the frames that take it.
  void take(const Backend& backend);
  const std::vector<PartialFrame>& under_way() const { return frames_; }

 private:
  PartialFrame& sum_of(std::int64_t snapshot, std::int64_t frame);
  const Plan& plan_;
  Done done_;
  std::int64_t half_ = 0;
  std::vector<PartialFrame> frames_;  // by snapshot, then frame
  std::vector<float> plane_;
};

}  // namespace fdtd
