// Snapshots: the pressure on planes of nodes, or everywhere, at chosen times.
//
// A run drives its sources with (1, -1, 0, ...): its field holds all wavelengths of the grid, mostly dispersion above
// the bandwidth. A frame shows the field as if the sources emitted a smooth pulse instead: the run is linear, so the
// frame at step n is sum_j g_j u^{n+j} with g the samples of a Gaussian, |j| <= half. The visible pulse, g_{-m} -
// g_{1-m} at step m, is the first derivative of a Gaussian, centred at step 0 because g is sampled half a step late;
// its spectrum is largest at max_frequency / 3.5 and 38 dB lower at max_frequency. Its peak is scaled to 1 as
// free-field pressure at 1 m, and its centre leaves the source at time 0. Sources of the cardioid family show the second
// derivative (plan/frames.hpp), largest at max_frequency / 2.5 and 29 dB lower at max_frequency. Frames are in the time of
// the grid, without what rendering does later (removal of time dispersion, air absorption).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/backend/backend.hpp"
#include "engine/plan/frames.hpp"

namespace fdtd {

// The sums of the pass that `source` begins.
class SnapshotSums {
 public:
  // `done` gets every complete frame; without it nothing is summed. `under_way`: the partial frames of a resumed run,
  // in order.
  using Done = std::function<void(std::int64_t snapshot, std::int64_t frame, std::span<const float> values)>;
  SnapshotSums(const Plan& plan, std::size_t source, Done done, std::vector<PartialFrame> under_way = {});
  // The first step after `step` whose field contributes to a frame; a very large number when there is none.
  std::int64_t next(std::int64_t step) const;
  // Adds the field of the backend's last step to the frames that it contributes to.
  void take(const Backend& backend);
  const std::vector<PartialFrame>& under_way() const { return frames_; }

 private:
  PartialFrame& sum_of(std::int64_t snapshot, std::int64_t frame);
  const Plan& plan_;
  Done done_;
  FrameSum sum_;
  std::int64_t half_ = 0;
  std::vector<PartialFrame> frames_;  // by snapshot, then frame
  std::vector<float> plane_;
};

}  // namespace fdtd
