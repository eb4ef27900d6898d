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
  CHECK(widest_gap_of({{0, 0, 1}, {0, 0, -1}}) == Approx(90.0).margin(2.0));
  CHECK(widest_gap_of({{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}}) ==
        Approx(std::acos(1.0 / std::sqrt(3.0)) * 180.0 / std::numbers::pi).margin(2.0));
  CHECK(widest_gap_of({{0, 0, 1}}) > 175.0);
}
