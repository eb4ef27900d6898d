#include "engine/images/edge_diffraction.hpp"

#include <cmath>
#include <numbers>

namespace fdtd {
namespace {

using Complex = std::complex<double>;
constexpr double pi = std::numbers::pi;

// |sin(e / 2)| / tan(e / (2 n)): what the cotangent and the root of the transition's argument make together. At a
// shadow's boundary, e = 0, the value of its dark side.
double boundary_ratio(double e, double n) { return e == 0.0 ? n : std::abs(std::sin(0.5 * e)) / std::tan(0.5 * e / n); }

// One of the four terms: at a boundary where pi + side * beta is a multiple of 2 pi n.
Complex term(double beta, double side, double n, double k_distance) {
  const double turns = std::round((beta + side * pi) / (2.0 * pi * n));
  const double e = beta + side * pi - 2.0 * pi * n * turns;
  const double s = std::sin(0.5 * e);
  return side * boundary_ratio(e, n) * edge_transition(2.0 * k_distance * s * s);
}

}  // namespace

Complex edge_transition(double x) {
  const Complex z = std::polar(std::sqrt(x), 0.25 * pi);
  constexpr double series_up_to = 4.0;
  if (x < series_up_to) {  // erfc = 1 - erf, by the series of Kummer's function
    Complex sum = 1.0, part = 1.0;
    const Complex twice(0.0, 2.0 * x);  // 2 z^2
    for (int n = 1; n < 200 && std::abs(part) > 1e-18; ++n) {
      part *= twice / (2.0 * n + 1.0);
      sum += part;
    }
    return std::polar(1.0, x) - 2.0 / std::sqrt(pi) * z * sum;
  }
  // The continued fraction 1 / (z + (1/2) / (z + 1 / (z + (3/2) / ...))), from its far end.
  const int terms = static_cast<int>(20.0 + 400.0 / x);
  Complex below = z;
  for (int n = terms; n > 0; --n) below = z + 0.5 * n / below;
  return 1.0 / (std::sqrt(pi) * below);
}

Complex edge_factor(const EdgeBend& bend, double wave_number, const std::array<Complex, 2>& reflections) {
  const double n = bend.opening / pi, kl = wave_number * bend.distance;
  const double between = bend.receiver - bend.source, sum = bend.receiver + bend.source;
  return -0.5 / n *
         (term(between, 1.0, n, kl) + term(between, -1.0, n, kl) + reflections[1] * term(sum, 1.0, n, kl) +
          reflections[0] * term(sum, -1.0, n, kl));
}

}  // namespace fdtd
