// Tones that ring on in a record when everything around them has decayed.
//
// A grid carries waves that sound does not: those of the symbol's second branch (second_branch of
// stencils/dispersion.hpp), slow and hardly absorbed by walls. The residue of them, or of anything else that rings,
// are lines in the spectrum of the record's end. They are found by comparing the spectra of the record's first and
// last quarter.
#pragma once

#include <span>
#include <vector>

namespace fdtd {

struct RecordTone {
  double frequency = 0.0;  // radians per sample of the record
  double amplitude = 0.0;  // in the record's last quarter
};

// Lines at `lowest` radians per sample or above that stand 15 dB above the median of their neighbours in the last
// quarter and fall at least 15 dB less from the first quarter to the last than the band from half of `lowest` to
// `lowest`; the strongest first, at most 8. A record in which nothing decays, or of fewer than 1024 samples, has none.
std::vector<RecordTone> residual_tones(std::span<const double> record, double lowest);

}  // namespace fdtd
