// The two filters of rendering: the low-pass, and the sum with high-pass.
#pragma once

#include <array>
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

// Integrates the response to the backward difference of a unit sample into the response to the sample itself, and
// removes frequencies below `cut` Hz: cumulative sum and 4th-order Butterworth high-pass (causal, bilinear transform,
// prewarped) in one recursion. One of the filter's four zeros at zero frequency cancels the sum's pole, so the ramp
// that a closed room's static pressure would make never appears. cut = 0: the cumulative sum alone. 0 <= cut < rate /
// 2.
class IntegrateAndCut {
 public:
  IntegrateAndCut(double cut, double rate);
  // The next sample.
  double operator()(double x) { return sum_alone_ ? sum_ += x : sections_[1](sections_[0](x)); }

 private:
  // One second-order section, transposed direct form II.
  struct Section {
    double b0 = 0.0, b1 = 0.0, b2 = 0.0, a1 = 0.0, a2 = 0.0;
    double s1 = 0.0, s2 = 0.0;
    double operator()(double x) {
      const double y = b0 * x + s1;
      s1 = b1 * x - a1 * y + s2;
      s2 = b2 * x - a2 * y;
      return y;
    }
  };
  std::array<Section, 2> sections_{};
  double sum_ = 0.0;
  bool sum_alone_ = false;
};
void integrate_and_cut(std::span<double> signal, double cut, double rate);  // in place

}  // namespace fdtd
