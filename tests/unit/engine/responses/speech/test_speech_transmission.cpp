#include "engine/responses/speech/speech_transmission.hpp"

#include <cmath>

#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

SpeechOctaves equal_octaves(double value) {
  SpeechOctaves all{};
  all.fill(value);
  return all;
}

Modulation equal_modulation(double value) {
  Modulation m{};
  m.fill(value);
  return m;
}

}  // namespace

TEST_CASE("speech transmission: equal modulation has the index of the standard's verification table") {
  // m in steps of 0.1 to STI, to its two digits.
  const double table[][2] = {{0.0, 0.0},  {0.1, 0.18}, {0.2, 0.30}, {0.3, 0.38}, {0.4, 0.44}, {0.5, 0.50},
                             {0.6, 0.56}, {0.7, 0.62}, {0.8, 0.70}, {0.9, 0.82}, {1.0, 1.0}};
  for (const auto& [m, index] : table) {
    const double mti = modulation_transfer_index(equal_modulation(m));
    CHECK(mti == Approx(index).margin(0.005));
    // The weights less the redundancies add to 1.
    CHECK(speech_transmission_index(equal_octaves(mti)) == Approx(mti).margin(1e-12));
  }
}

TEST_CASE("speech transmission: octaves count with their weights") {
  // One octave alone: its weight. Two neighbours: less their redundancy.
  const double weights[] = {0.085, 0.127, 0.230, 0.233, 0.309, 0.224, 0.173};
  const double redundancies[] = {0.085, 0.078, 0.065, 0.011, 0.047, 0.095};
  for (std::size_t k = 0; k < 7; ++k) {
    SpeechOctaves one{};
    one[k] = 1.0;
    CHECK(speech_transmission_index(one) == Approx(weights[k]));
    if (k + 1 == 7) continue;
    one[k + 1] = 0.25;
    CHECK(speech_transmission_index(one) == Approx(weights[k] + 0.25 * weights[k + 1] - 0.5 * redundancies[k]));
  }
}

TEST_CASE("speech transmission: noise, masking and the threshold of hearing lower the modulation") {
  CHECK(masking(63.0) == Approx(-33.5));
  CHECK(masking(62.999) == Approx(-33.5).margin(0.01));
  CHECK(masking(67.0) == Approx(-26.3));
  CHECK(masking(66.999) == Approx(-26.3).margin(0.01));
  CHECK(masking(100.0) == -10.0);
  CHECK(masking(120.0) == -10.0);

  // Loud speech and equal noise: a half, but for masking. 80 dB in the octave below masks 80 - 19.8 dB.
  SpeechLevels levels;
  levels.speech = equal_octaves(80.0);
  CHECK(level_factors(levels)[0] == Approx(1.0 / (1.0 + std::pow(10.0, -3.4))));
  CHECK(level_factors(levels)[3] == Approx(1.0 / (1.0 + std::pow(10.0, -1.98) + std::pow(10.0, -7.35))));
  levels.noise = equal_octaves(80.0);
  // Both mask: 83.01 dB, slope 0.5 * 83.01 - 59.8.
  const double both = 10.0 * std::log10(2e8), slope = 0.5 * both - 59.8;
  CHECK(level_factors(levels)[1] ==
        Approx(1.0 / (2.0 + 2.0 * std::pow(10.0, 0.1 * slope) + std::pow(10.0, 0.1 * (27.0 - 80.0)))));
  // Speech at the threshold of hearing.
  levels.noise.reset();
  levels.speech = equal_octaves(-60.0);
  levels.speech[0] = 46.0;
  CHECK(level_factors(levels)[0] == Approx(0.5));
}

TEST_CASE("speech transmission: the spectrum of speech has its A-weighted level") {
  const double a_weighting[] = {-16.1, -8.6, -3.2, 0.0, 1.2, 1.0, -1.1};
  double sum = 0.0;
  for (std::size_t k = 0; k < 7; ++k) sum += std::pow(10.0, 0.1 * (speech_spectrum[k] + a_weighting[k]));
  CHECK(10.0 * std::log10(sum) == Approx(0.0).margin(0.05));
}
