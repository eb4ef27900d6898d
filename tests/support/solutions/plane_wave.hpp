// A plane wave on a locally reacting wall of normalised impedance Z.
#pragma once

#include <complex>

namespace fdtd::test {

// R = (Z cos - 1)/(Z cos + 1).
inline std::complex<double> theoretical_reflection(std::complex<double> impedance, double cosine = 1.0) {
  return (impedance * cosine - 1.0) / (impedance * cosine + 1.0);
}

// 1 - |R|^2.
inline double theoretical_absorption(std::complex<double> impedance, double cosine = 1.0) {
  return 4.0 * cosine * impedance.real() / std::norm(impedance * cosine + 1.0);
}

}  // namespace fdtd::test
