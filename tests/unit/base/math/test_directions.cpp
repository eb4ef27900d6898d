#include "base/math/directions.hpp"

#include <cmath>
#include <numbers>

#include "base/vectors.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

TEST_CASE("a spiral of directions averages as the sphere does") {
  const std::vector<Point> directions = spiral(500);
  REQUIRE(directions.size() == 500);
  double z = 0.0, squares = 0.0, x_and_y = 0.0;
  for (const Point& one : directions) {
    CHECK(norm(one) == Approx(1.0));
    z += one[2] / 500.0, squares += one[0] * one[0] / 500.0, x_and_y += one[0] * one[1] / 500.0;
  }
  CHECK(z == Approx(0.0).margin(1e-9));
  CHECK(squares == Approx(1.0 / 3.0).margin(0.005));
  CHECK(x_and_y == Approx(0.0).margin(0.005));
}

TEST_CASE("the widest gap is the angle to the farthest direction") {
  CHECK(widest_gap_of({{0, 0, 1}, {0, 0, -1}}) == Approx(90.0).margin(0.01));
  CHECK(widest_gap_of({{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}}) ==
        Approx(std::acos(1.0 / std::sqrt(3.0)) * 180.0 / std::numbers::pi).margin(0.01));
  CHECK(widest_gap_of({{0, 0, 1}}) == Approx(180.0).margin(0.01));
  std::vector<Point> grid;  // of 10 degrees: widest in the middle of a cell at the equator
  const double degree = std::numbers::pi / 180.0;
  for (int elevation = -85; elevation <= 85; elevation += 10)
    for (int azimuth = 0; azimuth < 360; azimuth += 10)
      grid.push_back({std::cos(elevation * degree) * std::cos(azimuth * degree),
                      std::cos(elevation * degree) * std::sin(azimuth * degree), std::sin(elevation * degree)});
  const double middle = std::acos(std::cos(5.0 * degree) * std::cos(5.0 * degree)) / degree;
  CHECK(widest_gap_of(grid) == Approx(middle).margin(0.01));
}
