// Real spherical harmonics, and the spherical Bessel functions beside them in expansions of sound fields.
//
// Channels in ACN order, n^2 + n + m for degree n and -n <= m <= n: N_nm P_n^|m|(z) times cos(m phi) for m >= 0,
// sin(|m| phi) for m < 0, without the phase (-1)^m of Condon and Shortley, as in AmbiX (C. Nachbar et al., Ambisonics
// Symposium 2011). Axes: x to the front, y to the left, z up.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "base/point.hpp"

namespace fdtd {

// n3d: the mean of each square over the sphere is 1. sn3d: it is 1 / (2n + 1); the largest value of m = 0 is 1.
enum class HarmonicNorm { n3d, sn3d };

constexpr std::size_t harmonic_count(int order) {
  return static_cast<std::size_t>(order + 1) * static_cast<std::size_t>(order + 1);
}
// Of channel `acn`: n, floor(sqrt(acn)).
int harmonic_degree(std::size_t acn);

inline constexpr int highest_harmonic_order = 100;

// All harmonics up to an order in one direction: products of (x + iy)^m and of P_n^m / (1 - z^2)^(m/2) from the stable
// recurrence over n with full normalisation (S. Holmes & W. Featherstone, Journal of Geodesy 76 (2002), section 2), so
// that the poles are directions like others.
class SphericalHarmonics {
 public:
  // Throws std::invalid_argument for orders outside 0..highest_harmonic_order.
  SphericalHarmonics(int order, HarmonicNorm norm);

  int order() const { return order_; }
  std::size_t count() const { return harmonic_count(order_); }
  // values[acn]; `direction` of any length above 0. Throws std::invalid_argument where `values` has another size than
  // count().
  void operator()(const Point& direction, std::span<double> values) const;
  std::vector<double> operator()(const Point& direction) const;

 private:
  struct Step {
    double a = 0.0, b = 0.0;  // P_n = a z P_{n-1} - b P_{n-2}
  };
  int order_;
  std::vector<double> first_;  // of P_m^m, by m
  std::vector<Step> steps_;    // m = 0: n = 1, 2, ..., order; m = 1: n = 2, ...; ...
  std::vector<double> norm_;   // by n
};

// Of the standard library, n >= 0; errors are below 1e-12 of their envelope for x < 500, 1e-9 for x < 10^4.
//
// j_n(x), x >= 0, and its derivative.
double spherical_bessel(int n, double x);
double spherical_bessel_slope(int n, double x);
// h_n(x) = j_n(x) - i y_n(x), x > 0, of waves that leave the origin with the time dependence e^{i omega t}, and its
// derivative. Neither is finite where |y_n| is beyond 1e308.
std::complex<double> spherical_hankel(int n, double x);
std::complex<double> spherical_hankel_slope(int n, double x);

}  // namespace fdtd
