// Useful to detrimental sound of speech in noise, U50: the early energy of speech, up to 50 ms, over its late energy and
// the noise (J. S. Bradley, "Predictors of speech intelligibility in rooms", J. Acoust. Soc. Am. 80 (1986)); over the
// octaves of speech with their A-weighted levels (J. S. Bradley, R. D. Reich, S. G. Norcross, J. Acoust. Soc. Am. 106
// (1999)).
#pragma once

#include <optional>

#include "engine/responses/speech/speech_transmission.hpp"

namespace fdtd {

// dB, of the octaves of speech: IEC 61672-1.
extern const SpeechOctaves a_weighting;
// dB(A) of levels by octave.
double a_weighted(const SpeechOctaves& levels);

// By octave: the level of speech at the receiver (dB), the part of its energy that is early, 0 to 1, and the noise.
struct UsefulSound {
  SpeechOctaves speech{}, early{};
  std::optional<SpeechOctaves> noise;
};
// dB; infinite where nothing is detrimental, or useful.
double useful_ratio(const UsefulSound& sound, std::size_t octave);
double useful_ratio(const UsefulSound& sound);  // A-weighted

}  // namespace fdtd
