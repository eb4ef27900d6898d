// Between which frequencies orders above 3 hold, which a ball of nodes reads or sends (harmonic_ball.hpp).
#pragma once

#include <string>
#include <vector>

#include "engine/plan/plan.hpp"

namespace fdtd {

struct HarmonicLimit {
  int order = 0;
  double noise = 0.0;    // Hz: ball_rounding_cut, of the radial filter that keeps rounding noise 40 dB below the signal
  double to = 0.0;       // Hz: above, other orders leak in
  double leakage = 0.0;  // dB, the most up to `to`: at most harmonic_leakage
};
inline constexpr double harmonic_leakage = -20.0;  // dB, root mean square of all directions

// By order, of the receiver with the smallest ball, up to `bandwidth` Hz; empty without such orders. `owner`: its name.
struct HarmonicLimits {
  std::string owner;
  double radius = 0.0;  // m, of its ball
  std::vector<HarmonicLimit> orders;
  std::string inside;  // a source inside the ball of a receiver, "S in that of R", which these orders do not hold for;
                       // of sources a receiver inside the ball of a source
};
HarmonicLimits harmonic_limits(const Plan& plan, double bandwidth);
// The same of the plan's sources. `noise` is 0 where their channels send in one pass: its signals keep rounding low.
HarmonicLimits source_harmonic_limits(const Plan& plan, double bandwidth);

}  // namespace fdtd
