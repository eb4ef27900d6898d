#include "engine/calibration/slopes.hpp"

#include <cmath>
#include <limits>

#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

double variance_along(const UncertainSlopes& slopes, double a, double b) {
  const std::vector<double>& P = slopes.covariance();
  return a * a * P[0] + a * b * (P[1] + P[2]) + b * b * P[3];
}

}  // namespace

TEST_CASE("secants in all directions give the slopes, whatever was stated", "[calibration]") {
  UncertainSlopes slopes({-5.0, -15.0, -10.0, -10.0}, 2);
  slopes.observe({{{0.3, 0.0}, {-4.2, -2.4}}, {{0.0, 0.3}, {-1.8, -3.6}}});  // of -14, -6 and -8, -12
  CHECK(slopes.mean()[0] == Approx(-14.0).margin(0.5));
  CHECK(slopes.mean()[1] == Approx(-6.0).margin(0.5));
  CHECK(slopes.mean()[2] == Approx(-8.0).margin(0.5));
  CHECK(slopes.mean()[3] == Approx(-12.0).margin(0.5));
  CHECK(slopes.least_known().left < 0.1);
}

TEST_CASE("a direction that no run has probed keeps what was stated, and its uncertainty", "[calibration]") {
  UncertainSlopes slopes({-10.0, -10.0}, 2);
  CHECK(slopes.least_known().left == Approx(1.0));
  slopes.observe({{{0.2, 0.2}, {-6.0}}});  // the sum of both, half as much again
  CHECK(slopes.mean()[0] + slopes.mean()[1] == Approx(-30.0).epsilon(0.02));
  CHECK(slopes.mean()[0] - slopes.mean()[1] == Approx(0.0).margin(1e-9));
  const UncertainSlopes::LeastKnown least = slopes.least_known();
  CHECK(least.left > 0.9);
  CHECK(least.direction[0] == Approx(-least.direction[1]));
  CHECK(variance_along(slopes, 1.0, 1.0) < 0.05 * variance_along(slopes, 1.0, -1.0));
  // On another grid the same is known, a little less.
  const UncertainSlopes next = slopes.carried();
  CHECK(next.mean() == slopes.mean());
  CHECK(variance_along(next, 1.0, 1.0) > variance_along(slopes, 1.0, 1.0));
  CHECK(variance_along(next, 1.0, 1.0) < 0.2 * variance_along(next, 1.0, -1.0));
}

TEST_CASE("figures that leap from run to run are found to be rough, and say less of slopes", "[calibration]") {
  const std::vector<double> stated = {-10.0, -10.0, -10.0, -10.0};
  std::vector<Secant> smooth, rough;
  for (int k = 0; k < 4; ++k) {
    const double a = 0.2 * std::cos(1.9 * k), b = 0.2 * std::sin(1.9 * k), leap = k % 2 == 0 ? 4.0 : -4.0;
    smooth.push_back({{a, b}, {-12.0 * a - 8.0 * b, -9.0 * a - 11.0 * b}});
    rough.push_back({{a, b}, {-12.0 * a - 8.0 * b + leap, -9.0 * a - 11.0 * b - leap}});
  }
  UncertainSlopes one(stated, 2), other(stated, 2);
  one.observe(smooth);
  other.observe(rough);
  CHECK(one.roughness() <= 0.02);
  CHECK(other.roughness() >= 0.1);
  CHECK(variance_along(other, 1.0, -1.0) > 4.0 * variance_along(one, 1.0, -1.0));
}

TEST_CASE("a run without a figure leaves the figure's slopes as they were", "[calibration]") {
  UncertainSlopes slopes({-10.0, -10.0}, 1);
  slopes.observe({{{0.2}, {none, -3.0}}});
  CHECK(slopes.mean()[0] == -10.0);
  CHECK(slopes.mean()[1] == Approx(-15.0).epsilon(0.02));
}
