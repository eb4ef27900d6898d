// A locally reacting wall of normalised admittance y = g + i b reflects (x - y)/(x + y) at incidence theta, x = cos
// theta, and so absorbs 4 g x / |x + y|^2. Paris' average over a diffuse field, the integral of that times sin 2 theta,
// is
//   alpha = 8 g I,   I = integral_0^1 x^2 / ((x + g)^2 + b^2) dx
//         = 1 - g ln(((1 + g)^2 + b^2)/(g^2 + b^2)) + (g^2 - b^2)/b [atan((1 + g)/b) - atan(g/b)].
// E. T. Paris, "On the coefficient of sound-absorption measured by the reverberation method", Phil. Mag. 5 (1928);
// H. Kuttruff, Room Acoustics, chapter 2.
#include "engine/materials/absorption.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fdtd {
namespace {

// I for |y| > 1, where the closed form cancels: 1/|1 + x/y|^2 = sum U_n(cos phi) (-x/r)^n, y = r exp(i phi), U_n the
// Chebyshev polynomials of the second kind.
double paris_integral_far(double g, double b) {
  const double r = std::hypot(g, b);
  const double cosine = g / r;
  double sum = 0.0, previous = 0.0, u = 1.0, power = 1.0;
  for (int n = 0; n < 200; ++n) {
    sum += power * u / (n + 3.0);
    power /= -r;
    if (std::abs(power) * (n + 2.0) < 1e-18) break;
    const double next = 2.0 * cosine * u - previous;
    previous = u;
    u = next;
  }
  return sum / r / r;
}

double paris_integral_near(double g, double b) {
  const double square = g * g + b * b;
  if (square < 1e-300) return 1.0;
  // The difference of the two arcs is one arc of angle z; atan(z)/z stays finite as b -> 0.
  const double slope = 1.0 / (square + g);
  const double z = slope * b;
  const double arc = std::abs(z) < 1e-4 ? slope * (1.0 - z * z / 3.0) : std::atan(z) / b;
  return 1.0 - g * std::log1p((1.0 + 2.0 * g) / square) + (g - b) * (g + b) * arc;
}

struct Peak {
  double admittance, absorption;
};

// The real admittance of the largest coefficient: golden-section search; the maximum is smooth and single.
Peak find_peak() {
  const double ratio = (std::sqrt(5.0) - 1.0) / 2.0;
  double low = 0.3, high = 1.2;
  while (high - low > 1e-9) {
    const double left = high - ratio * (high - low), right = low + ratio * (high - low);
    if (random_incidence_absorption(left) < random_incidence_absorption(right)) {
      low = left;
    } else {
      high = right;
    }
  }
  const double y = (low + high) / 2.0;
  return {y, random_incidence_absorption(y)};
}

const Peak& peak() {
  static const Peak value = find_peak();
  return value;
}

}  // namespace

std::complex<double> admittance(const std::vector<Branch>& branches, double frequency) {
  const std::complex<double> s(0.0, 2.0 * std::numbers::pi * frequency);
  std::complex<double> y = 0.0;
  for (const Branch& branch : branches) y += 1.0 / impedance(branch, s);
  return y;
}

double random_incidence_absorption(std::complex<double> y) {
  const double g = y.real(), b = y.imag();
  if (!(g > 0.0) || !std::isfinite(g) || !std::isfinite(b)) return 0.0;
  return 8.0 * g * (std::hypot(g, b) > 4.0 ? paris_integral_far(g, b) : paris_integral_near(g, b));
}

AbsorptionSlope slope_of_absorption(std::complex<double> y) {
  const double g = y.real(), b = y.imag(), low = g * g + b * b, high = (1.0 + g) * (1.0 + g) + b * b;
  const double value = random_incidence_absorption(y);
  if (!(low < 16.0) || std::abs(b) < 1e-3 * g) {  // where the differences below cancel
    const double step = 1e-5 * std::sqrt(low);
    const auto at = [&](double real, double imaginary) {
      return random_incidence_absorption({g + real, b + imaginary});
    };
    return {value, (at(step, 0.0) - at(-step, 0.0)) / (2.0 * step), (at(0.0, step) - at(0.0, -step)) / (2.0 * step)};
  }
  // The integrals of 1/(u^2 + b^2) and 2u/(u^2 + b^2) over u = g..1+g, and their derivatives.
  const double arc = std::atan2(b, low + g) / b, logarithm = std::log(high / low);
  const double arc_by_g = 1.0 / high - 1.0 / low, arc_by_b = -((1.0 + g) / high - g / low + arc) / b;
  const double log_by_g = 2.0 * (1.0 + g) / high - 2.0 * g / low, log_by_b = 2.0 * b / high - 2.0 * b / low;
  const double difference = (g - b) * (g + b);
  const double by_g = -logarithm - g * log_by_g + 2.0 * g * arc + difference * arc_by_g;
  const double by_b = -g * log_by_b - 2.0 * b * arc + difference * arc_by_b;
  return {value, value / g + 8.0 * g * by_g, 8.0 * g * by_b};
}

double normal_incidence_absorption(std::complex<double> y) {
  // 1 - |(1 - y)/(1 + y)|^2 without the cancellation.
  if (!std::isfinite(y.real()) || !std::isfinite(y.imag())) return 0.0;
  return 4.0 * y.real() / std::norm(1.0 + y);
}

double largest_random_incidence_absorption() { return peak().absorption; }

double admittance_of_absorption(double alpha) {
  if (!(alpha > 0.0)) return 0.0;
  if (alpha >= peak().absorption) return peak().admittance;
  // alpha <= 8 y, and alpha grows with y up to the maximum: bisection always converges.
  double low = alpha / 8.0, high = peak().admittance;
  for (int i = 0; i < 200 && high - low > 1e-16 * high; ++i) {
    const double middle = 0.5 * (low + high);
    (random_incidence_absorption(middle) < alpha ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

double octave_band_absorption(const std::vector<Branch>& branches, double centre) {
  constexpr int points = 12;
  double sum = 0.0;
  for (int j = 0; j < points; ++j) {
    sum += random_incidence_absorption(admittance(branches, centre * std::exp2((j + 0.5) / points - 0.5)));
  }
  return sum / points;
}

}  // namespace fdtd
