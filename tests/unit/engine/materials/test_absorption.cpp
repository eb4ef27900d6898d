#include <array>
#include <cmath>
#include <complex>
#include <random>

#include "engine/materials/absorption.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;
using Complex = std::complex<double>;

namespace {

// The integrand 8 g x^2 / |x + y|^2 by tanh-sinh quadrature on 0..1: exact to rounding even where it is nearly
// singular.
double absorption_by_quadrature(Complex y) {
  const double step = 1.0 / 256.0;
  double sum = 0.0;
  for (int i = -1400; i <= 1400; ++i) {
    const double t = i * step;
    const double u = 1.5707963267948966 * std::sinh(t);
    const double x = 1.0 / (1.0 + std::exp(-2.0 * u));
    const double weight = 1.5707963267948966 * std::cosh(t) / (2.0 * std::cosh(u) * std::cosh(u));
    if (!(weight > 0.0)) continue;
    sum += weight * x * x / std::norm(x + y);
  }
  return 8.0 * y.real() * sum * step;
}

}  // namespace

TEST_CASE("random-incidence absorption equals its integral for every passive admittance") {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> exponent(-6.0, 4.0), phase(-1.5707, 1.5707);
  for (int i = 0; i < 2000; ++i) {
    const Complex y = std::polar(std::pow(10.0, exponent(random)), phase(random));
    CAPTURE(y);
    CHECK(random_incidence_absorption(y) == Approx(absorption_by_quadrature(y)).epsilon(2e-11));
  }
  for (double modulus : {1e-6, 0.01, 0.5, 0.9999, 1.0, 1.0001, 3.999, 4.0, 4.001, 30.0}) {
    for (double imaginary : {0.0, 1e-300, 1e-12, 1e-8, 1e-5, 2e-4, 0.1}) {
      const Complex y(modulus, imaginary * modulus);
      CAPTURE(y);
      CHECK(random_incidence_absorption(y) == Approx(absorption_by_quadrature(y)).epsilon(2e-11));
      CHECK(random_incidence_absorption(y) == random_incidence_absorption(std::conj(y)));
    }
  }
}

TEST_CASE("random-incidence absorption stays finite at the ends of the range") {
  CHECK(random_incidence_absorption(0.0) == 0.0);
  CHECK(random_incidence_absorption(Complex(0.0, 0.3)) == 0.0);
  CHECK(random_incidence_absorption(1e-200) == Approx(8e-200));
  CHECK(random_incidence_absorption(1e-12) == Approx(8e-12).epsilon(1e-9));
  CHECK(random_incidence_absorption(1e12) == Approx(8.0 / 3.0 * 1e-12));
  CHECK(random_incidence_absorption(Complex(1e-9, 1e9)) == Approx(8.0 / 3.0 * 1e-27));
  CHECK(largest_random_incidence_absorption() == Approx(0.9512).margin(5e-5));
}

TEST_CASE("the derivatives of random-incidence absorption are its slopes") {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> exponent(-4.0, 1.5), phase(-1.55, 1.55);
  for (int i = 0; i < 500; ++i) {
    const double modulus = std::pow(10.0, exponent(random)), angle = i % 10 == 0 ? 1e-5 * i : phase(random);
    const Complex y = std::polar(modulus, angle);
    const double step = 1e-4 * y.real();
    const AbsorptionSlope slope = slope_of_absorption(y);
    const double by_real = (absorption_by_quadrature(y + step) - absorption_by_quadrature(y - step)) / (2.0 * step);
    const Complex turn(0.0, step);
    const double by_imaginary =
        (absorption_by_quadrature(y + turn) - absorption_by_quadrature(y - turn)) / (2.0 * step);
    const double scale = slope.value / y.real();
    CAPTURE(y);
    CHECK(slope.value == random_incidence_absorption(y));
    CHECK(std::abs(slope.by_real - by_real) < 1e-5 * scale);
    CHECK(std::abs(slope.by_imaginary - by_imaginary) < 1e-5 * scale);
  }
}

TEST_CASE("normal-incidence absorption is one minus the reflected power") {
  for (const Complex y : {Complex(0.05, 0.0), Complex(1.0, 0.0), Complex(0.3, -0.7), Complex(12.0, 5.0)}) {
    CHECK(normal_incidence_absorption(y) == Approx(1.0 - std::norm((1.0 - y) / (1.0 + y))).epsilon(1e-12));
  }
}

TEST_CASE("the admittance of an absorption coefficient gives that coefficient") {
  for (double alpha : {1e-12, 1e-6, 0.01, 0.05, 0.3, 0.7, 0.9, 0.95, 0.9511}) {
    CHECK(random_incidence_absorption(admittance_of_absorption(alpha)) == Approx(alpha).epsilon(1e-12));
  }
  CHECK(admittance_of_absorption(0.0) == 0.0);
  CHECK(admittance_of_absorption(1.0) == Approx(0.638).margin(2e-3));
}
