// The decay of one band: where it meets the noise, its backward-integrated energy, and straight lines fitted to it.
//
// E(t) = integral of p^2 - n from t to the truncation, plus the energy of an exponential decay after it, with the energy
// n of the noise (M. R. Schroeder, "New method of measuring reverberation time", J. Acoust. Soc. Am. 37 (1965); ISO
// 3382-1, 5.3.3; subtracting the noise: W. T. Chu, "Comparison of reverberation measurements using Schroeder's impulse
// method and decay-curve averaging method", J. Acoust. Soc. Am. 63 (1978)). The truncation is where the late decay's
// straight line meets the noise, found by the iteration of A. Lundeby, T. E. Vigran, H. Bietz, M. Vorlaender,
// "Uncertainties of measurements in room acoustics", Acustica 81 (1995). Of the energy at the end, what the line leaves
// there is no noise: a response that still falls where it ends is truncated at its end.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fdtd {

struct Decay {
  double rate = 0.0;          // samples per second
  std::size_t start = 0;      // of `energy`: the onset
  std::size_t end = 0;        // of `energy`: the truncation, one past the last sample used
  double total = 0.0;         // all energy, extrapolated after the truncation
  double extrapolated = 0.0;  // the part of it after the truncation
  double late_time = 0.0;     // s in which the energy extrapolated falls by e
  double noise = 0.0;         // energy per sample, which is subtracted
  // dB: how far E falls from the onset to the truncation. Evaluations stay 10 dB above its end.
  double range = 0.0;
  std::string reason;  // why there is no decay; then all above except rate and start are 0
  // 10 log10 of E over the total, one value per sample from `start` to `end`; it may rise where E is no more than the
  // noise's chance.
  std::vector<double> level;
};

// `energy`: squared samples, none negative; those before `start` (the ringing of a zero-phase filter ahead of the
// onset) count in the total. `known_noise`: energy per sample that is noise even where the end is silent, as from
// rounding samples to integers.
Decay find_decay(std::span<const double> energy, std::size_t start, double rate, double known_noise = 0.0);

// Energy from the onset on that is longer than memory should hold: its first samples one by one, the rest in sums over
// bins of equal length.
struct LongEnergy {
  std::span<const double> samples;
  std::span<const double> bins;    // after the samples; the last one may hold fewer
  std::size_t width = 1;           // samples a bin
  std::size_t binned = 0;          // samples in all bins
  double before = 0.0;             // ahead of the onset, counts in the total
  std::size_t samples_before = 0;  // over which that is the sum, with its noise
};
// The same for its onset at 0. Where the decay ends within the samples, the bins count as noise alone; nullopt where
// bins are stronger than the samples, or the decay reaches into them.
std::optional<Decay> find_decay(LongEnergy energy, double rate, double known_noise);

// A line fitted to the levels between two limits: its time for 60 dB, and how far the decay deviates from it.
struct DecayLine {
  double time = 0.0;          // s, from the slope
  double at_start = 0.0;      // dB, of the line at the onset
  double nonlinearity = 0.0;  // 1000 (1 - r^2), per mille: ISO 3382-2, annex B; above 10 the decay is curved
};
// From where the level first is below `upper` to where it first is below `lower` dB (below 0, upper > lower), by least
// squares; nullopt with fewer than three samples or without a slope.
std::optional<DecayLine> fit_line(const Decay& decay, double upper, double lower);

}  // namespace fdtd
