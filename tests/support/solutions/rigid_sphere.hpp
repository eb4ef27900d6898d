// The pressure on a rigid sphere in a plane wave (R. Duda, W. Martens, "Range dependence of the response of a spherical
// head model", J. Acoust. Soc. Am. 104 (1998), far field), as a head without pinnae.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "base/math/fourier.hpp"
#include "base/math/spherical_harmonics.hpp"
#include "engine/binaural/head_responses.hpp"

namespace fdtd::test {

inline constexpr double sphere_radius = 0.0875, sphere_sound_speed = 343.2;

// At equal steps of frequency, 0, `step`, 2 `step` ...; e^{i omega t}. In a plane wave, or in the sound of a point source
// at `distance` m from its centre, by h_n(kr) / h_0(kr) beside it.
class RigidSphere {
 public:
  RigidSphere(double step, std::size_t count, double distance = 0.0) : terms_(count) {
    for (std::size_t k = 1; k < count; ++k) {
      const double x = 2.0 * std::numbers::pi * static_cast<double>(k) * step * sphere_radius / sphere_sound_speed;
      const int highest = static_cast<int>(x + 8.0 + 3.0 * std::cbrt(x));
      std::complex<double> turn(0.0, -1.0);  // i^n / i
      for (int n = 0; n <= highest; ++n, turn *= std::complex<double>(0.0, 1.0))
        terms_[k].push_back(turn * (2.0 * n + 1.0) / (x * x * spherical_hankel_slope(n, x)) *
                            (distance > 0.0 ? nearer(n, x / sphere_radius * distance) : 1.0));
    }
    terms_[0] = {1.0};
  }
  // At an angle with that cosine from the wave's origin, over the free field at the sphere's centre.
  std::vector<std::complex<double>> operator()(double cosine) const {
    std::vector<double> legendre = {1.0, cosine};
    for (std::size_t n = 1; n < 200; ++n) {
      const auto order = static_cast<double>(n);
      legendre.push_back(((2.0 * order + 1.0) * cosine * legendre[n] - order * legendre[n - 1]) / (order + 1.0));
    }
    std::vector<std::complex<double>> pressure(terms_.size());
    for (std::size_t k = 0; k < terms_.size(); ++k)
      for (std::size_t n = 0; n < terms_[k].size(); ++n) pressure[k] += terms_[k][n] * legendre[n];
    return pressure;
  }

 private:
  // (-i)^n h_n(x) / h_0(x), 1 far away.
  static std::complex<double> nearer(int n, double x) {
    return std::pow(std::complex<double>(0.0, -1.0), n) * spherical_hankel(n, x) / spherical_hankel(0, x);
  }
  std::vector<std::vector<std::complex<double>>> terms_;
};

// Of ears 100 degrees to the sides of its front.
inline double cosine_at_ear(const Point& direction, double side) {
  constexpr double ear = 100.0 * std::numbers::pi / 180.0;
  return std::cos(ear) * direction[0] + side * std::sin(ear) * direction[1];
}

// `delay` samples after the wave is at the centre.
inline HeadResponses rigid_sphere_head(const std::vector<Point>& directions, double rate, std::int64_t samples,
                                       double delay) {
  const RigidSphere sphere(rate / static_cast<double>(samples), static_cast<std::size_t>(samples / 2 + 1));
  HeadResponses head;
  head.sample_rate = rate;
  head.directions = directions;
  head.samples = static_cast<std::size_t>(samples);
  for (const Point& one : directions)
    for (const double side : {1.0, -1.0}) {
      std::vector<std::complex<double>> spectrum = sphere(cosine_at_ear(one, side));
      for (std::size_t k = 0; k < spectrum.size(); ++k)
        spectrum[k] *=
            std::polar(1.0, -2.0 * std::numbers::pi * static_cast<double>(k) * delay / static_cast<double>(samples));
      spectrum.back() = spectrum.back().real();
      const std::vector<double> response = inverse_real_fft(spectrum, samples);
      head.ears.insert(head.ears.end(), response.begin(), response.end());
    }
  return head;
}

}  // namespace fdtd::test
