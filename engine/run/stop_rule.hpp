// Tells while a run goes on whether every receiver's response has decayed by so many decibels.
//
// The record is the response to the difference of a unit sample (recording.hpp). It is summed up, high-passed at the rule's low
// frequency, which takes a closed room's static pressure away, and low-passed at its high one, beyond which a grid's
// waves are no sound (Butterworth, 2nd and 4th order, by the bilinear transform). The mean square over windows of one period of
// the low frequency is the level. A receiver has decayed once all windows for as long as sound takes to cross the room's
// diagonal forth and back, and one more, lie `decay_db` below its loudest: a pause between two echoes is no end.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/plan/plan.hpp"

namespace fdtd {

class DecayWatch {
 public:
  explicit DecayWatch(const Plan& plan);  // plan.stop says what is watched; without a rule it never ends
  // The next samples of receiver r, u^{n+1} as the backend records them. What `ended` says depends on the samples given
  // so far alone, not on how they were cut into pieces.
  void hear(std::size_t receiver, std::span<const double> samples);
  bool ended() const;

 private:
  struct Section {  // a second-order filter, direct form II transposed
    double b0 = 1.0, b1 = 0.0, b2 = 0.0, a1 = 0.0, a2 = 0.0;
  };
  struct Ear {
    double sum = 0.0;
    std::array<std::array<double, 2>, 3> memory{};
    double square = 0.0, loudest = 0.0;
    std::int64_t heard = 0, quiet = 0;  // samples of this window; windows in a row
  };
  static Section high_pass(double w, double q);
  static Section low_pass(double w, double q);
  std::vector<Section> sections_;
  std::vector<Ear> ears_;
  double ratio_ = 0.0;  // of mean squares
  std::int64_t window_ = 1, quiet_windows_ = 1;
  bool active_ = false;
};

}  // namespace fdtd
