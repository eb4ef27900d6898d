// Spectra of recordings at single frequencies.
#pragma once

#include <cmath>
#include <complex>
#include <numbers>
#include <span>

namespace fdtd::test {

// Magnitude of the spectrum at any frequency, under a four-term Blackman-Harris window (side lobes -92 dB).
inline double magnitude(std::span<const double> x, double rate, double frequency) {
  const double step = 2.0 * std::numbers::pi / static_cast<double>(x.size());
  const std::complex<double> turn = std::polar(1.0, -2.0 * std::numbers::pi * frequency / rate);
  std::complex<double> sum = 0.0, phase = 1.0;
  for (std::size_t i = 0; i < x.size(); ++i, phase *= turn) {
    const double t = step * static_cast<double>(i);
    sum += (0.35875 - 0.48829 * std::cos(t) + 0.14128 * std::cos(2 * t) - 0.01168 * std::cos(3 * t)) * x[i] * phase;
  }
  return std::abs(sum);
}

// The peak within +-span of `frequency`, by golden section.
inline double peak_near(std::span<const double> x, double rate, double frequency, double span) {
  const double golden = (std::sqrt(5.0) - 1.0) / 2.0;
  double low = frequency - span, high = frequency + span;
  while (high - low > 1e-3) {
    const double a = high - golden * (high - low), b = low + golden * (high - low);
    if (magnitude(x, rate, a) > magnitude(x, rate, b))
      high = b;
    else
      low = a;
  }
  return (low + high) / 2.0;
}

}  // namespace fdtd::test
