// Exact sound of a point source beside an infinite rigid wedge; of a half-plane, H. M. Macdonald's solution (Proc. Lond.
// Math. Soc. 14, 1915), in the form of J. J. Bowman, T. B. A. Senior, P. L. E. Uslenghi, "Electromagnetic and Acoustic
// Scattering by Simple Shapes", 1969, chapters 6 and 8.
#pragma once

#include <cmath>
#include <complex>
#include <numbers>

namespace fdtd::test {

struct WedgePair {
  double opening = 0.0;                               // radians of air
  double source_radius = 0.0, receiver_radius = 0.0;  // m, from the edge
  double source_angle = 0.0, receiver_angle = 0.0;    // from one face, radians
  double along = 0.0;                                 // m, between both, along the edge
};

// The sound from the edge, all there is in shadow; free field exp(-i k r) / r. The contour of the integral over eta is
// bent towards -i pi / 2, where the integrand decays.
inline std::complex<double> wedge_diffraction(const WedgePair& pair, double wave_number) {
  using Complex = std::complex<double>;
  const double nu = std::numbers::pi / pair.opening;
  constexpr int points = 3000;
  constexpr double end = 16.0, bend = 1.4;
  Complex sum = 0.0;
  for (int i = 0; i < points; ++i) {
    const double t = (i + 0.5) / points, x = end * t * t * t, dx = 3.0 * end * t * t / points;
    const Complex eta(x, -bend * std::tanh(x)), slope(1.0, -bend / (std::cosh(x) * std::cosh(x)));
    const Complex length =
        std::sqrt(pair.source_radius * pair.source_radius + pair.receiver_radius * pair.receiver_radius +
                  pair.along * pair.along + 2.0 * pair.source_radius * pair.receiver_radius * std::cosh(eta));
    Complex beta = 0.0;
    for (const double one : {-1.0, 1.0})
      for (const double other : {-1.0, 1.0}) {
        const double angle = nu * (std::numbers::pi + one * pair.receiver_angle + other * pair.source_angle);
        beta += std::sin(angle) / (std::cosh(nu * eta) - std::cos(angle));
      }
    sum += beta * std::exp(Complex(0.0, -wave_number) * length) / length * slope * dx;
  }
  return -nu / (2.0 * std::numbers::pi) * sum;
}

}  // namespace fdtd::test
