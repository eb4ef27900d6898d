// A sound field between places, from the field at them: weights of the nearest places that fit every field of waves up to
// a wave number best, by least squares over waves from all directions.
//
// The field is a sample of a random one with uniform density in the ball |k| <= K, whose correlation over the distance r
// is 3 (sin x - x cos x) / x^3, x = K r; the weights are those of least mean error (P. Whittle, "Prediction and
// Regulation", 1963; for sound fields N. Ueno, S. Koyama, H. Saruwatari, IEEE Signal Process. Lett. 25 (2018)). They do
// not depend on frequency, so that they apply to signals sample by sample.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/point.hpp"

namespace fdtd {

struct PlaceWeight {
  std::uint32_t place = 0;
  double weight = 0.0;
  bool operator==(const PlaceWeight&) const = default;
};

class FieldWeights {
 public:
  static constexpr std::size_t most_places = 12;  // that have a weight
  // Places of a straight line this far apart leave less than tolerated_error, away from its ends.
  static constexpr double places_a_wavelength = 3.6;
  static constexpr double tolerated_error = 1e-3;  // -60 dB

  // `wave_number`: rad/m, the largest of the field.
  FieldWeights(std::vector<Point> places, double wave_number);
  ~FieldWeights();
  FieldWeights(FieldWeights&&) noexcept;

  const std::vector<Point>& places() const;
  void add(const Point& place);
  // By place, increasing; one place of weight 1 where `at` is a place; empty where none is near.
  const std::vector<PlaceWeight>& weights(const Point& at);
  // The largest deviation over plane waves of amplitude 1 and the largest wave number, from 62 directions; 1 where no
  // place is near.
  double error(const Point& at);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fdtd
