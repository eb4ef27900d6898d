// The level that a direct sound keeps when the ringing before the emission is cut off.
#include "engine/responses/direct_level.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

Grid grid() {
  Grid one;
  one.sound_speed = 343.0;
  one.time_step = 2e-4;
  one.spacing = {0.15, 0.15, 0.15};
  return one;
}

}  // namespace

TEST_CASE("direct level: exact far from the source, half of a pulse at it") {
  const LowPass low_pass{700.0, 840.0};
  const DirectError far = direct_error(6.0, {}, low_pass, grid(), 48000.0);
  CHECK(far.lowest > -0.05);
  CHECK(far.highest < 0.05);
  CHECK(far.within == 0.5);
  const DirectError at = direct_error(1e-4, {}, low_pass, grid(), 48000.0);
  CHECK(at.lowest == Approx(-6.0).margin(0.6));  // the first sample counts whole
  CHECK(at.highest < -5.0);
  CHECK(at.within == 1.5);
  CHECK(at.largest() > 6.5);
  // By the integral of the kernel up to r/c, for long waves: 1/2 + Si(2 pi B r / c) / pi of an ideal low-pass at 1.1 B.
  const double r = 0.15, x = 2.0 * std::numbers::pi * 1.1 * 700.0 * r / 343.0;
  double integral = 0.0;
  constexpr int steps = 20000;
  for (int i = 0; i < steps; ++i) {
    const double u = x * (i + 0.5) / steps;
    integral += std::sin(u) / u * x / steps;
  }
  const double long_waves = 20.0 * std::log10(0.5 + integral / std::numbers::pi);
  const DirectError near = direct_error(r, {}, low_pass, grid(), 48000.0);
  CHECK(near.lowest < long_waves + 0.3);
  CHECK(near.highest > long_waves - 0.3);
}

TEST_CASE("direct level: a near field that is left adds to it") {
  const LowPass low_pass{700.0, 840.0};
  // A pulse at the emission of the height of the direct sound, half of which is cut off: 3/2 of it in long waves.
  const DirectError with = direct_error(5.0, {0.2, 0.0}, low_pass, grid(), 48000.0);
  CHECK(with.highest > 1.0);
  CHECK(with.highest < 20.0 * std::log10(1.6));
}

TEST_CASE("direct level: where the band holds no octave all frequencies count") {
  const LowPass low_pass{40.0, 48.0};
  const DirectError error = direct_error(0.1, {}, low_pass, grid(), 48000.0);
  CHECK(error.lowest == error.highest);
  CHECK(error.lowest < -2.0);
}
