// Octave-band absorption -> the law of a wall: passive branches that absorb what is stated, at all frequencies.
#pragma once

#include <vector>

#include "scenes/scene.hpp"

namespace fdtd {

// By how much an octave's coefficient may be off: 5 % from 0.05 up, 10 % below, which reverberation times then are, too;
// 0.0002 at least.
double absorption_tolerance(double alpha);

// Branches whose random-incidence absorption, averaged over each octave, is that of the bands (ascending centres in Hz;
// coefficients above the largest that a wall can have count as that). Below the lowest band and above the highest the
// absorption is held. Empty if no band absorbs. Deterministic, and a function of the bands alone: one material has one
// law, whatever the frequencies of a run. Of the library's materials from a table (known_band_laws.hpp), of others found
// once in a process, by search_band_law, for which a band must absorb.
std::vector<Branch> fit_band_law(const std::vector<double>& centres, const std::vector<double>& alpha);
std::vector<Branch> search_band_law(const std::vector<double>& centres, const std::vector<double>& alpha);

// A law whose branches are smooth functions of the coefficients, for derivatives: always so many branches, one a band, four
// at least and eight at most. It meets coefficients from 0.02 to 0.9 whose neighbours differ by a factor of 2 at most within
// 0.02; of steeper ones it is at most 0.05 further off than the law of search_band_law, which adds and removes branches.
// The octaves beside the bands absorb as the nearest. slopes[(3 b + c) * bands + k]: of ln D, ln E, ln F (c = 0, 1, 2) of
// branch b by alpha[k], by the implicit function theorem at the fit's minimum, with variables on their bounds held there:
// that minimum is reached from weak weights of the bands on, so that slopes hold for steep coefficients, too. Where two
// minima are as deep, it jumps from one to the other. Found once in a process.
struct SmoothBandLaw {
  std::vector<Branch> branches;
  std::vector<double> slopes;
};
SmoothBandLaw smooth_band_law(const std::vector<double>& centres, const std::vector<double>& alpha);

}  // namespace fdtd
