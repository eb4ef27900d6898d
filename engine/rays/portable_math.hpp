// Elementary functions that give the same bytes on every processor: those of the C library differ where it has code of
// its own for some. To be compiled without fused products.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace fdtd {

// Cosine and sine of a fraction of a turn, 0 to 1; to 2e-16.
inline std::array<double, 2> cosine_sine(double turn) {
  const double quarter = std::floor(4.0 * turn + 0.5);
  const double x = (turn - 0.25 * quarter) * (2.0 * std::numbers::pi), y = x * x;  // at most 45 degrees
  double c = 1.0, s = 1.0;
  for (int n = 16; n > 0; n -= 2) {  // Taylor: the next terms are below 1e-17
    c = 1.0 - y * c / (n * (n - 1));
    s = 1.0 - y * s / (n * (n + 1));
  }
  s *= x;
  switch (static_cast<int>(quarter) & 3) {
    case 0:
      return {c, s};
    case 1:
      return {-s, c};
    case 2:
      return {-c, -s};
    default:
      return {s, -c};
  }
}

// exp(x) for x <= 0, to 1e-13 of itself.
inline double exponential(double x) {
  if (x < -700.0) return 0.0;
  const double power = std::floor(x / std::numbers::ln2 + 0.5), rest = x - power * std::numbers::ln2;
  double sum = 1.0;
  for (int n = 14; n > 0; --n) sum = 1.0 + rest * sum / n;
  return std::ldexp(sum, static_cast<int>(power));
}

}  // namespace fdtd
