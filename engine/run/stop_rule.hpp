// Watches during a run whether the response of every receiver has decayed by a given level.
//
// The record is the response to the difference of a unit sample (recording.hpp). It is summed, high-passed at the low
// frequency of the rule, which removes the static pressure of a closed room, and low-passed at the high one, above
// which the waves on the grid are not valid (Butterworth, 2nd and 4th order, by the bilinear transform). The level is
// the mean square over windows of one period of the low frequency. A receiver has decayed once all windows during the
// travel time of sound along the diagonal of the room and back, and one more, are `decay_db` below its loudest window,
// so that a pause between two echoes does not end the run.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/plan/plan.hpp"

namespace fdtd {

class DecayWatch {
 public:
  explicit DecayWatch(const Plan& plan);  // plan.stop sets the rule; without one the run never ends early
  // The next samples of receiver r, u^{n+1} as the backend records them. `ended` depends only on the samples given so
  // far, not on how they are divided into calls.
  void add(std::size_t receiver, std::span<const double> samples);
  bool ended() const;

 private:
  struct Section {  // a second-order filter, direct form II transposed
    double b0 = 1.0, b1 = 0.0, b2 = 0.0, a1 = 0.0, a2 = 0.0;
  };
  struct ReceiverLevel {
    double sum = 0.0;
    std::array<std::array<double, 2>, 3> memory{};
    double square = 0.0, loudest = 0.0;
    std::int64_t counted = 0, quiet = 0;  // samples of this window; windows in a row
  };
  static Section high_pass(double w, double q);
  static Section low_pass(double w, double q);
  std::vector<Section> sections_;
  std::vector<ReceiverLevel> levels_;
  double ratio_ = 0.0;  // of mean squares
  std::int64_t window_ = 1, quiet_windows_ = 1;
  bool active_ = false;
};

}  // namespace fdtd
