#include "engine/estimate/mode_count.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "tests/support/catch.hpp"

namespace fdtd::test {
namespace {

using Catch::Matchers::Contains;

constexpr double sound_speed = 343.2;

RoomExtent box(double x, double y, double z) {
  return {x * y * z, {{"wall", 2.0 * (x * y + y * z + z * x)}}, 4.0 * (x + y + z)};
}

// The modes of a rigid box between two frequencies, one by one.
int counted(double x, double y, double z, double from, double to) {
  int count = 0;
  for (int i = 0; i < 200; ++i)
    for (int j = 0; j < 200; ++j)
      for (int k = 0; k < 200; ++k) {
        const double f = sound_speed / 2.0 * std::hypot(i / x, j / y, k / z);
        count += f >= from && f < to;
      }
  return count;
}

}  // namespace

TEST_CASE("an octave of a box has as many modes as are counted one by one") {
  for (const double centre : {250.0, 500.0, 1000.0}) {
    CAPTURE(centre);
    const double from = centre / std::numbers::sqrt2, to = centre * std::numbers::sqrt2;
    CHECK(modes_of_octave(box(4.1, 3.3, 2.7), centre, sound_speed) ==
          Approx(counted(4.1, 3.3, 2.7, from, to)).epsilon(0.03));
    CHECK(modes_of_octave(box(1.5, 1.2, 1.0), centre, sound_speed) ==
          Approx(counted(1.5, 1.2, 1.0, from, to)).epsilon(0.1).margin(3.0));
  }
}

TEST_CASE("modes overlap from 2000 sqrt(T / V) on, with the T of the octave that this lies in") {
  // 2000 sqrt(0.36 / 36) = 200 in the octave of 250 Hz, 283 by the time of 125 Hz.
  const std::vector<ReverberationBand> bands = {{63.0, 0.72, 0.72}, {125.0, 0.72, 0.72}, {250.0, 0.36, 0.36}};
  CHECK(schroeder_frequency(bands, 36.0) == Approx(200.0));
  const double endless = std::numeric_limits<double>::infinity();
  CHECK(std::isinf(schroeder_frequency({{63.0, endless, endless}}, 36.0)));
  CHECK(schroeder_frequency({{63.0, 1.0, 1.0}}, 1.0) == Approx(2000.0));  // above all octaves
}

TEST_CASE("octaves below the Schroeder frequency are remarked on, with their modes") {
  constexpr auto formula = ReverberationBand::Model::formula;
  const std::vector<ReverberationBand> small = {
      {63.0, 0.4, 0.4, 0.4, formula, 0.2}, {125.0, 0.4, 0.4, 0.4, formula, 2.4}, {250.0, 0.4, 0.4, 0.4, formula, 14.0}};
  const std::string remark = few_modes_remark(small, 10.0);  // 400 Hz
  CHECK_THAT(remark, Contains("modes do not overlap below the Schroeder frequency, 400 Hz"));
  CHECK_THAT(remark, Contains("the octaves of 63, 125, 250 Hz, which hold 0, 2, 14 of them"));
  CHECK_THAT(remark, Contains("differ from place to place, and from grid to grid by some per cent"));
  CHECK_THAT(few_modes_remark(small, 14.0), !Contains("250 Hz, which"));  // 338 Hz lies in that octave
  CHECK(few_modes_remark(small, 2000.0).empty());
  const double endless = std::numeric_limits<double>::infinity();
  CHECK(few_modes_remark({{63.0, endless, endless}}, 10.0).empty());
}

}  // namespace fdtd::test
