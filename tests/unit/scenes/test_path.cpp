// Paths: where one is at a time, and the places along it.
#include "scenes/path.hpp"

#include <cmath>
#include <numbers>

#include "base/math/field_weights.hpp"
#include "base/vectors.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

constexpr double wave_number = 2.0 * std::numbers::pi;

Path walk(const std::vector<Point>& corners) {
  std::vector<PathRow> rows;
  for (const Point& one : corners) rows.push_back({static_cast<double>(rows.size()), one});
  return Path(rows);
}

double worst_error(const Path& path, const std::vector<Point>& places) {
  FieldWeights field(places, wave_number);
  double worst = 0.0;
  for (double t = -0.5; t < path.rows().back().time + 0.5; t += 0.004)
    worst = std::max(worst, field.error(path.position(t)));
  return worst;
}

}  // namespace

TEST_CASE("a path is straight between rows, at rest before the first and after the last") {
  const Path path({{1.0, {1, 2, 3}, 350.0, 2}, {3.0, {5, 2, 1}, 10.0, 3}, {4.0, {5, 2, 1}, 10.0, 4}});
  CHECK(path.position(-5.0) == Point{1, 2, 3});
  CHECK(path.position(1.5) == Point{2, 2, 2.5});
  CHECK(path.position(3.5) == Point{5, 2, 1});
  CHECK(path.position(50.0) == Point{5, 2, 1});
  CHECK(path.yaw(2.0) == 360.0);  // by 20 degrees to the left, not by 340 to the right
  CHECK(path.yaw(9.0) == 10.0);
  CHECK(path.length() == Approx(std::sqrt(20.0)));
  CHECK(path.fastest().row == 1);
  CHECK(path.fastest().speed == Approx(std::sqrt(5.0)));
  CHECK(path.turns());
  CHECK_FALSE(Path(std::vector<PathRow>{{0.0, {1, 1, 1}, 720.0}}).turns());
}

TEST_CASE("places along a path leave less than -60 dB anywhere on it, at ends and corners, too") {
  const Path straight = walk({{1, 1, 1}, {11, 1, 1}}), corner = walk({{1, 1, 1}, {4, 1, 1}, {4, 4, 1}}),
             sharp = walk({{1, 1, 1}, {4, 1, 1}, {1.1, 1.2, 1}}),
             zigzag = walk({{1, 1, 1}, {1.5, 1.3, 1}, {2, 1, 1}, {2.5, 1.4, 1}});
  for (const Path* path : {&straight, &corner, &sharp, &zigzag}) {
    const std::vector<Point> places = places_along(*path, wave_number);
    CHECK(worst_error(*path, places) < FieldWeights::tolerated_error);
    CHECK(static_cast<double>(places.size()) < 2.2 * places_needed(*path, wave_number) + 8.0);
  }
  CHECK(static_cast<double>(places_along(straight, wave_number).size()) < places_needed(straight, wave_number) + 8.0);
}

TEST_CASE("a path that comes back has no place twice, and one at rest has one place") {
  const Path there = walk({{1, 1, 1}, {5, 1, 1}}), back = walk({{1, 1, 1}, {5, 1, 1}, {1, 1, 1}});
  CHECK(places_along(back, wave_number) == places_along(there, wave_number));
  CHECK(places_along(walk({{1, 1, 1}, {1, 1, 1}}), wave_number) == std::vector<Point>{{1, 1, 1}});
}

TEST_CASE("the largest wave number is that of the low-pass's end, within half the output rate") {
  CHECK(largest_wave_number(1000.0, 48000.0, 340.0) == Approx(2.0 * std::numbers::pi * 1200.0 / 340.0));
  CHECK(largest_wave_number(1000.0, 2000.0, 340.0) == Approx(2.0 * std::numbers::pi * 1000.0 / 340.0));
  CHECK(largest_wave_number(0.0, 2000.0, 340.0) == Approx(2.0 * std::numbers::pi * 1000.0 / 340.0));
}
