#include "base/math/spherical_harmonics.hpp"

#include <cmath>
#include <stdexcept>

#include "base/vectors.hpp"

namespace fdtd {
namespace {

constexpr std::size_t channel_of(int n, int m) { return static_cast<std::size_t>(n * n + n + m); }

}  // namespace

int harmonic_degree(std::size_t acn) {
  int n = static_cast<int>(std::sqrt(static_cast<double>(acn)));
  while (harmonic_count(n) <= acn) ++n;
  return n;
}

SphericalHarmonics::SphericalHarmonics(int order, HarmonicNorm norm) : order_(order) {
  if (order < 0 || order > highest_harmonic_order) throw std::invalid_argument("SphericalHarmonics: order 0 to 100");
  for (int m = 0; m <= order; ++m) {
    // The factor 2 of cos^2 and sin^2 enters at m = 1.
    first_.push_back(m == 0 ? 1.0 : first_.back() * std::sqrt(m == 1 ? 3.0 : 1.0 + 0.5 / m));
    for (int n = m + 1; n <= order; ++n) {
      const double k = n, squares = k * k - static_cast<double>(m) * m, before = k - 1.0;
      const double a = std::sqrt((4.0 * k * k - 1.0) / squares);
      steps_.push_back(
          {a, a * std::sqrt((before * before - static_cast<double>(m) * m) / (4.0 * before * before - 1.0))});
    }
  }
  for (int n = 0; n <= order; ++n) norm_.push_back(norm == HarmonicNorm::sn3d ? 1.0 / std::sqrt(2.0 * n + 1.0) : 1.0);
}

void SphericalHarmonics::operator()(const Point& direction, std::span<double> values) const {
  if (values.size() != count()) throw std::invalid_argument("SphericalHarmonics: a value for each channel");
  const auto [x, y, z] = unit(direction);
  double cosine = 1.0, sine = 0.0;  // (x + iy)^m
  std::size_t step = 0;
  for (int m = 0; m <= order_; ++m) {
    double before = 0.0, here = first_[static_cast<std::size_t>(m)];
    for (int n = m; n <= order_; ++n) {
      if (n > m) {
        const Step& one = steps_[step++];
        const double next = one.a * z * here - one.b * before;
        before = here;
        here = next;
      }
      const double value = norm_[static_cast<std::size_t>(n)] * here;
      values[channel_of(n, m)] = value * cosine;
      if (m > 0) values[channel_of(n, -m)] = value * sine;
    }
    const double turned = cosine * x - sine * y;
    sine = cosine * y + sine * x;
    cosine = turned;
  }
}

std::vector<double> SphericalHarmonics::operator()(const Point& direction) const {
  std::vector<double> values(count());
  (*this)(direction, values);
  return values;
}

double spherical_bessel(int n, double x) { return std::sph_bessel(static_cast<unsigned>(n), x); }

// f' = f_{n-1} - (n+1)/x f_n: small at small x, where f' = n/x f_n - f_{n+1} keeps its digits.
double spherical_bessel_slope(int n, double x) {
  if (x == 0.0) return n == 1 ? 1.0 / 3.0 : 0.0;
  return n / x * spherical_bessel(n, x) - spherical_bessel(n + 1, x);
}

std::complex<double> spherical_hankel(int n, double x) {
  return {std::sph_bessel(static_cast<unsigned>(n), x), -std::sph_neumann(static_cast<unsigned>(n), x)};
}

std::complex<double> spherical_hankel_slope(int n, double x) {
  if (n == 0) return -spherical_hankel(1, x);
  return spherical_hankel(n - 1, x) - (n + 1.0) / x * spherical_hankel(n, x);
}

}  // namespace fdtd
