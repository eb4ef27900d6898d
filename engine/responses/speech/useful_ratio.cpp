#include "engine/responses/speech/useful_ratio.hpp"

#include <cmath>

namespace fdtd {
namespace {

double energy_of_level(double level) { return std::pow(10.0, 0.1 * level); }

struct UsefulParts {
  double useful = 0.0, detrimental = 0.0;
};

UsefulParts parts_of(const UsefulSound& sound, std::size_t octave, double weighting) {
  const double speech = energy_of_level(sound.speech[octave] + weighting);
  return {sound.early[octave] * speech, (1.0 - sound.early[octave]) * speech +
                                            (sound.noise ? energy_of_level((*sound.noise)[octave] + weighting) : 0.0)};
}

double decibels(const UsefulParts& parts) { return 10.0 * std::log10(parts.useful / parts.detrimental); }

}  // namespace

const SpeechOctaves a_weighting = {-16.1, -8.6, -3.2, 0.0, 1.2, 1.0, -1.1};

double a_weighted(const SpeechOctaves& levels) {
  double sum = 0.0;
  for (std::size_t k = 0; k < speech_octave_count; ++k) sum += energy_of_level(levels[k] + a_weighting[k]);
  return 10.0 * std::log10(sum);
}

double useful_ratio(const UsefulSound& sound, std::size_t octave) { return decibels(parts_of(sound, octave, 0.0)); }

double useful_ratio(const UsefulSound& sound) {
  UsefulParts all;
  for (std::size_t k = 0; k < speech_octave_count; ++k) {
    const UsefulParts one = parts_of(sound, k, a_weighting[k]);
    all.useful += one.useful;
    all.detrimental += one.detrimental;
  }
  return decibels(all);
}

}  // namespace fdtd
