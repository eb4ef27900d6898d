#include "engine/transducers/tap_weights.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <vector>

#include "stencils/catalogue.hpp"
#include "stencils/stencil.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

constexpr double pi = std::numbers::pi;

// The relative error of a wave of k radians a cell, by the weights at `at`.
double error_of(const AxisWeights& axis, double at, double k, int order) {
  std::complex<double> sum = 0.0;
  for (std::size_t i = 0; i < axis.weights.size(); ++i)
    sum += axis.weights[i] * std::polar(1.0, k * (axis.first + static_cast<double>(i) - at));
  const std::complex<double> factor = std::pow(std::complex<double>(0.0, k), order);
  return std::abs(sum / factor - 1.0);
}

double worst_of(const TapWeights& weights, int points, int order, double highest) {
  double worst = 0.0;
  for (const double at : {7.0, 7.13, 7.25, 7.5, 7.77})
    for (int i = 1; i <= 60; ++i)
      worst = std::max(worst, error_of(weights(at, points, order), at, highest * i / 60.0, order));
  return worst;
}

}  // namespace

TEST_CASE("weights made for a finest wave read all waves up to it within a decibel, and long ones closer") {
  const FieldOperator pressure;
  for (const double points : {2.2, 2.3, 2.45, 2.7, 3.0, 4.0, 8.0}) {
    const double wave = 2.0 * pi / points;
    const TapWeights weights(wave);
    const int nodes = weights.points(pressure);
    CAPTURE(points, nodes);
    CHECK(worst_of(weights, nodes, 0, wave) < (points > 2.25 ? tap_error * 1.01 : 0.13));
    CHECK(worst_of(weights, nodes, 0, wave / 2.0) < 0.027);
    CHECK(worst_of(weights, nodes, 0, wave / 8.0) < 5e-4);
  }
}

TEST_CASE("as many nodes are taken as the finest wave needs") {
  const FieldOperator pressure, along = {{{1, 0, 0}, 1.0}}, thrice = {{{3, 0, 0}, 1.0}};
  const auto points = [](double points_a_wave, const FieldOperator& operation) {
    return TapWeights(2.0 * pi / points_a_wave).points(operation);
  };
  CHECK(TapWeights().points(pressure) == tap_points);
  CHECK(TapWeights().points(thrice) == derivative_points);
  CHECK(points(4.0, pressure) == 8);
  CHECK(points(3.0, pressure) == 8);
  CHECK(points(2.3, pressure) == 14);
  CHECK(points(2.05, pressure) == 16);
  CHECK(points(4.0, thrice) == 12);
  CHECK(points(2.6, along) == 12);
  CHECK(points(2.4, thrice) == 16);
}

TEST_CASE("at 2.3 points a wavelength polynomials lose half of a wave that the weights keep") {
  const double wave = 2.0 * pi / 2.3;
  CHECK(error_of(lagrange(0.5, 8), 0.5, wave, 0) > 0.5);
  CHECK(error_of(TapWeights(wave)(0.5, 12, 0), 0.5, wave, 0) < 0.122);
  CHECK(error_of(TapWeights(wave)(0.5, 16, 0), 0.5, wave, 0) < 0.05);
}

TEST_CASE("derivatives keep a decibel to 2.3 points, those of third order to 2.4") {
  for (const int order : {1, 2, 3}) {
    const double wave = 2.0 * pi / (order < 3 ? 2.3 : 2.4);
    const TapWeights weights(wave);
    CAPTURE(order);
    CHECK(worst_of(weights, 16, order, wave) < 0.122);
    CHECK(worst_of(weights, 16, order, wave / 8.0) < 3e-4);
  }
}

TEST_CASE("polynomials of five degrees more than the derivative's stay exact") {
  const TapWeights weights(2.0 * pi / 2.3);
  for (const int order : {0, 1, 2, 3})
    for (const double at : {3.0, 3.3, 3.5, -2.25}) {
      const AxisWeights axis = weights(at, 14, order);
      double factorial = 1.0;
      for (int n = 2; n <= order; ++n) factorial *= n;
      for (int degree = 0; degree < order + 6; ++degree) {
        double sum = 0.0;
        for (std::size_t i = 0; i < axis.weights.size(); ++i)
          sum += axis.weights[i] * std::pow(axis.first + static_cast<double>(i) - at, degree);
        CAPTURE(order, at, degree);
        CHECK(sum == Approx(degree == order ? factorial : 0.0).margin(1e-6));
      }
    }
}

TEST_CASE("a point on a node is that node, and mirrored points have mirrored weights") {
  const TapWeights weights(2.0 * pi / 2.3);
  const AxisWeights on = weights(5.0 + 1e-9, 12, 0);
  for (std::size_t i = 0; i < on.weights.size(); ++i)
    CHECK(on.weights[i] == (on.first + static_cast<int>(i) == 5 ? 1.0 : 0.0));
  for (const int order : {0, 1}) {
    const AxisWeights left = weights(5.3, 12, order), right = weights(5.7, 12, order);
    for (std::size_t i = 0; i < 12; ++i)
      CHECK(left.weights[i] == Approx((order == 0 ? 1.0 : -1.0) * right.weights[11 - i]).margin(1e-9));
  }
}

TEST_CASE("without a finest wave, and where waves are long, the weights are polynomials") {
  const AxisWeights plain = lagrange(2.4, 8);
  CHECK(TapWeights()(2.4, 8, 0).weights == plain.weights);
  CHECK(TapWeights(2.0 * pi / 12.0)(2.4, 8, 0).weights == plain.weights);
  CHECK(TapWeights(2.0 * pi / 12.0)(2.4, 12, 3).weights == lagrange_derivative(2.4, 12, 3).weights);
}

TEST_CASE("at any finest wave the weights are no worse than polynomials through as many nodes") {
  for (const double points : {2.3, 3.0, 3.7, 4.5, 5.0, 6.5, 8.0, 12.0, 30.0}) {
    const double wave = 2.0 * pi / points;
    const TapWeights weights(wave), polynomials;
    for (int nodes = tap_points; nodes <= max_tap_points; nodes += 2)
      for (int order = 0; order <= 3; ++order) {
        CAPTURE(points, nodes, order);
        const double made = worst_of(weights, nodes, order, wave), plain = worst_of(polynomials, nodes, order, wave);
        CHECK(made <= 1.01 * plain);
        if (plain > 1e-3) CHECK(made < 0.9 * plain);
      }
  }
}

TEST_CASE("beside walls that absorb, derivatives of polynomials are exact through the wall's layer") {
  // The grid's field of s, its layer included, must be read as s; of a rigid wall's mirrored field the same.
  const Stencil designed = *find_stencil("compact-4/radial1");
  const GridStencil stencil = on_grid(designed, {designed.courant, designed.courant, designed.courant});
  const TapWeights weights(2.4);
  const std::vector<double> taps = {1.257, -0.380, 0.186, -0.096, 0.033};
  const WallLayer layer(normal_symbol(stencil, 0), taps, weights.waves());
  CHECK(std::abs(layer.linear(0)) > 0.1);
  CHECK(std::abs(layer.linear(20)) < 1e-9);
  for (const double at : {1.3, 4.1})
    for (const int order : {1, 2, 3}) {
      const AxisWeights axis =
          weights.inside(at, 0, 12, order, {-0.5, std::numeric_limits<double>::infinity(), &layer});
      for (int power = 0; power <= order + 1; ++power) {
        double sum = 0.0, wanted = power == order ? std::tgamma(order + 1.0) : 0.0;
        if (power > order) wanted = std::tgamma(power + 1.0) * (at + 0.5);
        for (int i = 0; i < 12; ++i) {
          const double s = i + 0.5;
          double field = std::pow(s, power);
          if (power == 1) field += layer.linear(i);
          if (power == 3) field += layer.cubic(i);
          sum += axis.weights[static_cast<std::size_t>(i)] * field;
        }
        INFO("at " << at << ", order " << order << ", power " << power);
        CHECK(sum == Approx(wanted).margin(1e-7));
      }
    }
}
