// Weights between places, against plane waves.
#include "base/math/field_weights.hpp"

#include <cmath>
#include <complex>
#include <numbers>

#include "base/vectors.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

constexpr double wave_number = 2.0 * std::numbers::pi;  // a wavelength of 1 m

std::vector<Point> straight(double spacing, int count) {
  std::vector<Point> places;
  for (int i = 0; i < count; ++i) places.push_back({i * spacing, 0.5, -0.25});
  return places;
}

// How far the weights' sum of a plane wave is off at a point.
double deviation(FieldWeights& field, const Point& at, const Point& direction, double k) {
  const auto wave = [&](const Point& p) { return std::polar(1.0, k * dot(direction, p)); };
  std::complex<double> sum = 0.0;
  for (const PlaceWeight& one : field.weights(at)) sum += one.weight * wave(field.places()[one.place]);
  return std::abs(sum - wave(at));
}

}  // namespace

TEST_CASE("a wave of any frequency and direction is known between places of a line to less than -60 dB") {
  FieldWeights field(straight(1.0 / FieldWeights::places_a_wavelength, 60), wave_number);
  for (double x = 7.0; x < 9.0; x += 0.03)
    for (const Point& direction : {Point{1, 0, 0}, {-1, 0, 0}, {0.6, 0.8, 0}, {0, 0, 1}, {0.48, 0.6, 0.64}}) {
      for (const double part : {0.0, 0.2, 0.7, 1.0}) {
        CAPTURE(x, direction[0], part);
        CHECK(deviation(field, {x, 0.5, -0.25}, direction, part * wave_number) < FieldWeights::tolerated_error);
      }
      CHECK(field.error({x, 0.5, -0.25}) < FieldWeights::tolerated_error);
    }
}

TEST_CASE("places too far apart, or a point beside them, have an error that is stated") {
  FieldWeights coarse(straight(0.6, 40), wave_number);
  const Point middle{6.3, 0.5, -0.25};
  CHECK(coarse.error(middle) > 0.3);
  CHECK(coarse.error(middle) >= 0.9 * deviation(coarse, middle, {1, 0, 0}, wave_number));
  FieldWeights fine(straight(0.25, 40), wave_number);
  CHECK(fine.error({5.0, 0.75, -0.25}) > 0.1);  // a quarter of a wavelength off the line
  CHECK(fine.weights({500.0, 0.5, -0.25}).empty());
  CHECK(fine.error({500.0, 0.5, -0.25}) == 1.0);
}

TEST_CASE("at a place its weight is one and all others nought") {
  FieldWeights field(straight(0.25, 40), wave_number);
  CHECK(field.weights({2.5, 0.5, -0.25}) == std::vector<PlaceWeight>{{10, 1.0}});
  field.add({3.1, 0.5, -0.25});
  CHECK(field.weights({3.1, 0.5, -0.25}) == std::vector<PlaceWeight>{{40, 1.0}});
}
