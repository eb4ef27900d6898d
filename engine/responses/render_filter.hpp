// The two filters of rendering: the low-pass, and the sum with high-pass.
#pragma once

#include <span>

namespace fdtd {

// A linear-phase low-pass without delay, defined by its frequency response: exactly 1 up to `pass`, exactly 0 from
// `stop`, in between the integral of a Kaiser-Bessel bell (J. F. Kaiser's I0-sinh window, ISCAS 1974, with time and
// frequency exchanged). In time it is an ideal low-pass under the bell's transform.
struct LowPass {
  double pass = 0.0, stop = 0.0;  // Hz
  double response(double hertz) const;
  // s: beyond +-reach the kernel is below 2e-7 of its centre (135 dB).
  double reach() const;
};

// Integrates the response to the backward difference of a unit sample into the response to the sample itself, in place,
// and removes frequencies below `cut` Hz: cumulative sum and 4th-order Butterworth high-pass (causal, bilinear
// transform, prewarped) in one recursion. One of the filter's four zeros at zero frequency cancels the sum's pole, so
// the ramp that a closed room's static pressure would make never appears. cut = 0: the cumulative sum alone. 0 <= cut <
// rate / 2.
void integrate_and_cut(std::span<double> signal, double cut, double rate);

}  // namespace fdtd
