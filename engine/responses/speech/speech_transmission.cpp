#include "engine/responses/speech/speech_transmission.hpp"

#include <algorithm>
#include <cmath>

namespace fdtd {
namespace {

// Tables A.1 (male weights), A.2 (masking), A.3 (threshold) and the spectrum of A.6.1 in edition 5. The standard is not
// free; the figures were compared with those of two public implementations that agree and cite it by clause: P. Zaviska,
// "stipa" (Brno University of Technology, 2024), checked there against a licensed meter; J. M. Requena Plens,
// "phonometry" (2026), whose chain is checked against the printed example of annex M.
constexpr SpeechOctaves weights = {0.085, 0.127, 0.230, 0.233, 0.309, 0.224, 0.173};
constexpr std::array<double, speech_octave_count - 1> redundancies = {0.085, 0.078, 0.065, 0.011, 0.047, 0.095};
constexpr SpeechOctaves threshold = {46.0, 27.0, 12.0, 6.5, 7.5, 8.0, 12.0};  // dB

// Places in modulation_frequencies of STIPA's two, by octave: 1.6 and 8 Hz, 1 and 5, 0.63 and 3.15, 2 and 10, 1.25 and
// 6.25 (that of 6.3 stands for it), 0.8 and 4, 2.5 and 12.5.
constexpr std::array<std::array<std::size_t, 2>, speech_octave_count> stipa_places = {
    {{4, 11}, {2, 9}, {0, 7}, {5, 12}, {3, 10}, {1, 8}, {6, 13}}};

// (SNR + 15) / 30 of an effective signal-to-noise ratio within 15 dB.
double transmission_index(double modulation) {
  const double m = std::clamp(modulation, 0.0, 1.0);
  double ratio = -15.0;  // dB
  if (m >= 1.0)
    ratio = 15.0;
  else if (m > 0.0)
    ratio = std::clamp(10.0 * std::log10(m / (1.0 - m)), -15.0, 15.0);
  return (ratio + 15.0) / 30.0;
}

double intensity(double level) { return std::pow(10.0, 0.1 * level); }

}  // namespace

const SpeechOctaves speech_spectrum = {-2.5, 0.5, 0.0, -6.0, -12.0, -18.0, -24.0};

double masking(double level) {
  if (level < 63.0) return 0.5 * level - 65.0;
  if (level < 67.0) return 1.8 * level - 146.9;
  return level < 100.0 ? 0.5 * level - 59.8 : -10.0;
}

double modulation_transfer_index(const Modulation& m, double factor) {
  double sum = 0.0;
  for (const double of_room : m) sum += transmission_index(of_room * factor);
  return sum / static_cast<double>(m.size());
}

double stipa_modulation_index(std::size_t octave, const Modulation& m, double factor) {
  const auto& [first, second] = stipa_places.at(octave);
  return 0.5 * (transmission_index(m[first] * factor) + transmission_index(m[second] * factor));
}

SpeechOctaves level_factors(const SpeechLevels& levels) {
  SpeechOctaves factors{};
  double below = 0.0;  // intensity of all sound in the octave below
  for (std::size_t k = 0; k < speech_octave_count; ++k) {
    const double speech = intensity(levels.speech[k]), noise = levels.noise ? intensity((*levels.noise)[k]) : 0.0;
    const double masks = below > 0.0 ? below * intensity(masking(10.0 * std::log10(below))) : 0.0;
    factors[k] = speech / (speech + noise + masks + intensity(threshold[k]));
    below = speech + noise;
  }
  return factors;
}

double speech_transmission_index(const SpeechOctaves& mti) {
  double sum = 0.0;
  for (std::size_t k = 0; k < speech_octave_count; ++k) {
    sum += weights[k] * mti[k];
    if (k + 1 < speech_octave_count) sum -= redundancies[k] * std::sqrt(mti[k] * mti[k + 1]);
  }
  return std::clamp(sum, 0.0, 1.0);
}

}  // namespace fdtd
