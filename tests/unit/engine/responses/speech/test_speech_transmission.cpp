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

TEST_CASE("speech transmission: the worked example of the standard, annex M, to its printed digits") {
  // Table M.1 of IEC 60268-16: m(F) of the room by modulation frequency and octave, levels of speech and noise.
  const double room[14][7] = {
      {0.983, 0.960, 0.978, 0.990, 0.990, 0.986, 0.997}, {0.968, 0.936, 0.959, 0.974, 0.980, 0.979, 0.995},
      {0.947, 0.904, 0.931, 0.953, 0.966, 0.968, 0.992}, {0.920, 0.869, 0.898, 0.927, 0.949, 0.955, 0.987},
      {0.886, 0.826, 0.852, 0.892, 0.925, 0.935, 0.981}, {0.851, 0.791, 0.808, 0.856, 0.900, 0.914, 0.974},
      {0.816, 0.756, 0.764, 0.816, 0.871, 0.891, 0.964}, {0.773, 0.721, 0.730, 0.776, 0.841, 0.866, 0.953},
      {0.741, 0.684, 0.705, 0.745, 0.809, 0.838, 0.941}, {0.726, 0.628, 0.678, 0.736, 0.780, 0.812, 0.929},
      {0.714, 0.557, 0.656, 0.723, 0.753, 0.786, 0.916}, {0.670, 0.520, 0.623, 0.678, 0.728, 0.765, 0.904},
      {0.591, 0.483, 0.556, 0.615, 0.701, 0.749, 0.893}, {0.554, 0.446, 0.523, 0.614, 0.685, 0.737, 0.884},
  };
  SpeechLevels levels;
  levels.speech = {82.9, 82.9, 79.2, 73.2, 67.2, 61.2, 55.2};
  levels.noise = SpeechOctaves{55.5, 47.5, 41.5, 37.5, 34.5, 32.5, 30.5};
  const double corrections[] = {0.998, 0.985, 0.967, 0.963, 0.981, 0.989, 0.995};
  const double printed[] = {0.73, 0.66, 0.67, 0.71, 0.77, 0.80, 0.92};
  const SpeechOctaves factors = level_factors(levels);
  SpeechOctaves mti{};
  for (std::size_t k = 0; k < 7; ++k) {
    INFO("octave " << k);
    CHECK(factors[k] == Approx(corrections[k]).margin(0.001));
    Modulation m{};
    for (std::size_t f = 0; f < 14; ++f) m[f] = room[f][k];
    mti[k] = modulation_transfer_index(m, factors[k]);
    CHECK(mti[k] == Approx(printed[k]).margin(0.0051));
  }
  CHECK(speech_transmission_index(mti) == Approx(0.76).margin(0.005));
}

TEST_CASE("speech transmission: STIPA has the two modulation frequencies of its signal in each octave") {
  const double pairs[7][2] = {{1.6, 8.0}, {1.0, 5.0}, {0.63, 3.15}, {2.0, 10.0}, {1.25, 6.3}, {0.8, 4.0}, {2.5, 12.5}};
  for (std::size_t k = 0; k < 7; ++k) {
    CHECK(stipa_modulation_index(k, equal_modulation(0.4)) == Approx(modulation_transfer_index(equal_modulation(0.4))));
    CHECK(stipa_modulation_index(k, equal_modulation(0.8), 0.5) ==
          Approx(modulation_transfer_index(equal_modulation(0.4))));
    Modulation alone{};
    for (std::size_t f = 0; f < 14; ++f)
      if (modulation_frequencies[f] == pairs[k][0] || modulation_frequencies[f] == pairs[k][1]) alone[f] = 1.0;
    CHECK(stipa_modulation_index(k, alone) == 1.0);
    for (double& m : alone) m = 1.0 - m;
    CHECK(stipa_modulation_index(k, alone) == 0.0);
  }
}
