// How much longer than the response a record must be: as long as the low-pass of rendering
// (responses/render_filter.hpp) rings.
#pragma once

#include <algorithm>
#include <numbers>

namespace fdtd {

// Parameter of the Kaiser-Bessel transition between pass and stop edge: its transform falls to
// 2 beta exp(-beta) = 2.3e-5 where pi width t = beta.
inline constexpr double low_pass_beta = 14.0;
inline constexpr double low_pass_stop_ratio = 1.2;  // stop edge over pass edge

inline constexpr double low_pass_least_ratio = 1.05;  // where rates or the grid's second branch do not allow that

// Stop edge in Hz for a bandwidth; `branch`: Hz, from where on nothing may pass (RenderOptions::branch), 0: anything.
constexpr double low_pass_stop(double bandwidth, double branch = 0.0) {
  const double stop = low_pass_stop_ratio * bandwidth;
  return branch > 0.0 ? std::clamp(branch, low_pass_least_ratio * bandwidth, stop) : stop;
}

// Seconds to record beyond the requested duration so that the end of the record does not affect the output: half the
// length of the low-pass for a bandwidth in Hz; 0 without a low-pass.
constexpr double render_tail(double bandwidth, double branch = 0.0) {
  if (!(bandwidth > 0.0)) return 0.0;
  return low_pass_beta / (std::numbers::pi * (low_pass_stop(bandwidth, branch) - bandwidth));
}

}  // namespace fdtd
