// The speech transmission index of IEC 60268-16:2020 (edition 5) from modulation transfer functions, male speech.
//
// m(F) of seven octaves at fourteen modulation frequencies, times I / (I + I_noise + I_masking + I_threshold) where
// levels are known, gives effective signal-to-noise ratios within +-15 dB, transmission indices (SNR + 15) / 30, their
// mean MTI of an octave, and the weighted sum of these. The chain is that of edition 4 (2011), clauses A.5.3 to A.5.6;
// edition 5 has other levels of speech at 125 and 250 Hz, and no female speech. STIPA is the same chain with two of the
// modulation frequencies in each octave, which its signal has; of a linear room both differ by hundredths. The tables stand in
// speech_transmission.cpp, with the sources that they were compared with.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

namespace fdtd {

inline constexpr std::size_t speech_octave_count = 7, modulation_count = 14;
// Hz, nominal.
inline constexpr std::array<double, speech_octave_count> speech_octaves = {125, 250, 500, 1000, 2000, 4000, 8000};
inline constexpr std::array<double, modulation_count> modulation_frequencies = {0.63, 0.8, 1.0, 1.25, 1.6, 2.0,  2.5,
                                                                                3.15, 4.0, 5.0, 6.3,  8.0, 10.0, 12.5};
using SpeechOctaves = std::array<double, speech_octave_count>;
using Modulation = std::array<double, modulation_count>;

// dB: level of male speech in the octaves relative to its A-weighted level.
extern const SpeechOctaves speech_spectrum;

// dB, at the receiver. Without noise there is that of a threshold of hearing alone.
struct SpeechLevels {
  SpeechOctaves speech{};
  std::optional<SpeechOctaves> noise;
};

// dB: by how much an octave of that level, of all sound in it, masks the next one.
double masking(double level);

// The mean transmission index of one octave's m(F) times `factor`.
double modulation_transfer_index(const Modulation& m, double factor = 1.0);

// The same of two modulation frequencies alone, those of an octave (0 to 6) in the signal of STIPA, annex B.
double stipa_modulation_index(std::size_t octave, const Modulation& m, double factor = 1.0);

// The factors by which levels lower m(F) of each octave.
SpeechOctaves level_factors(const SpeechLevels& levels);

// The index, 0..1, from the octaves' MTI.
double speech_transmission_index(const SpeechOctaves& mti);

}  // namespace fdtd
