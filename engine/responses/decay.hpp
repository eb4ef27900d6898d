// The decay of one band: where it sinks into the noise, its energy integrated backwards, straight lines fitted to it.
//
// E(t) = integral of p^2 from t to the truncation, plus what an exponential decay would have brought after it (M. R. Schroeder,
// "New method of measuring reverberation time", J. Acoust. Soc. Am. 37 (1965); ISO 3382-1, 5.3.3). The truncation is where the
// late decay's straight line meets the noise, found by the iteration of A. Lundeby, T. E. Vigran, H. Bietz, M. Vorlaender,
// "Uncertainties of measurements in room acoustics", Acustica 81 (1995). A response without noise is truncated near its end.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fdtd {

struct Decay {
  double rate = 0.0;          // samples a second
  std::size_t start = 0;      // of `energy`: the onset
  std::size_t end = 0;        // of `energy`: the truncation, one past the last sample that counts
  double total = 0.0;         // all energy, that after the truncation as extrapolated
  double extrapolated = 0.0;  // the part of it after the truncation
  double late_time = 0.0;     // s in which the energy extrapolated falls by e
  double noise = 0.0;         // energy a sample
  // dB: how far E falls from the onset to the truncation. Evaluations keep 10 dB away from its end.
  double range = 0.0;
  std::string reason;  // why there is no decay; then all of the above but rate and start is 0
  // 10 log10 of E over the total, one value a sample from `start` to `end`.
  std::vector<double> level;
};

// `energy`: squared samples, none negative; those before `start` (what a zero-phase filter rings ahead of the onset) count
// into the total. `known_noise`: energy a sample that is noise for certain, though the end may be silent, as where samples
// were rounded to whole numbers.
Decay find_decay(std::span<const double> energy, std::size_t start, double rate, double known_noise = 0.0);

// A line through the levels between two of them: seconds to 60 dB, and how far from straight.
struct DecayLine {
  double time = 0.0;          // s, from the slope
  double at_start = 0.0;      // dB, of the line at the onset
  double nonlinearity = 0.0;  // 1000 (1 - r^2), per mille: ISO 3382-2, annex B; above 10 the decay is bent
};
// From `upper` to `lower` dB (below 0, upper > lower), by least squares; nullopt when there are under three samples of it
// or no slope.
std::optional<DecayLine> fit_line(const Decay& decay, double upper, double lower);

}  // namespace fdtd
