#include "engine/responses/speech/useful_ratio.hpp"

#include <cmath>

#include "tests/support/catch.hpp"

using namespace fdtd;

TEST_CASE("useful ratio: that of clarity without noise, less with noise, over octaves by their A-weighted levels") {
  UsefulSound sound;
  sound.speech.fill(60.0);
  sound.early.fill(0.8);
  CHECK(useful_ratio(sound, 0) == Approx(10.0 * std::log10(4.0)));
  CHECK(useful_ratio(sound) == Approx(10.0 * std::log10(4.0)));
  sound.noise.emplace().fill(60.0);
  CHECK(useful_ratio(sound, 3) == Approx(10.0 * std::log10(0.8 / 1.2)));
  // Noise at 1000 Hz alone, of all octaves' A-weighted speech.
  sound.noise->fill(-200.0);
  (*sound.noise)[3] = a_weighted(sound.speech);
  CHECK(useful_ratio(sound) == Approx(10.0 * std::log10(0.8 / 1.2)));
  CHECK(useful_ratio(sound, 2) == Approx(10.0 * std::log10(4.0)));
  // Octaves whose early parts differ count with their weighting.
  sound.noise.reset();
  sound.early.fill(0.0);
  sound.early[4] = 1.0;
  const double of_2000 = std::pow(10.0, 0.1 * (60.0 + 1.2)), all = std::pow(10.0, 0.1 * a_weighted(sound.speech));
  CHECK(useful_ratio(sound) == Approx(10.0 * std::log10(of_2000 / (all - of_2000))));
}
