// How far geometry agrees with the wave response one octave below the crossover, where the wave response is right: the
// trust that geometry has above.
//
// The octave from f1 / 2 to f1 of both is measured like any octave (metrics.hpp), from the time of the direct sound on.
// Neither levels nor decays are scaled by the result.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/responses/band_metrics.hpp"
#include "engine/responses/crossover/octave_bank.hpp"

namespace fdtd {

// G, C80 and T20 of that octave. `response`: pressure at `rate` (Hz), whose direct sound at 1 m sums to 1; `direct`: s,
// of the direct sound, within it.
BandMetrics overlap_of_response(std::span<const double> response, double rate, Crossover crossover, double direct);
// `energies`: of the octave, all arrivals, those over r metres with 1 / r^2, in bins of `bin` s from the emission on. They
// are spread over time as the octave's filter spreads the energy of arrivals in a response. They hold no noise; after
// their end they go on to fall as they do in the last fifth.
BandMetrics overlap_of_energies(std::span<const double> energies, double bin, Crossover crossover, double direct);

// dB by which G of one place spreads by chance, waves from everywhere interfering, in a band of `bandwidth` Hz of a
// decay time T: D. Lubman, "Fluctuations of sound with position in a reverberant room", J. Acoust. Soc. Am. 44 (1968).
double chance_spread(double bandwidth, double decay_time);

struct OverlapPair {
  BandMetrics wave, geometry;  // of one source and receiver
};

// Geometry less wave, over the pairs that have both figures.
struct MeanDifference {
  std::size_t pairs = 0;
  double mean = 0.0, absolute = 0.0;  // means of the differences, and of their absolutes
  std::optional<double> error;        // standard error of the mean; from two pairs on
};

enum class Trust { good, fair, poor };
const char* name_of(Trust trust);

// The largest means, either sign, of G (dB) and T20 (%), compared as printed: to a tenth and to one.
inline constexpr double good_strength = 1.0, good_decay = 10.0, fair_strength = 2.0, fair_decay = 25.0;

// Of the room, where known; 0: not.
struct OverlapRoom {
  double schroeder = 0.0;    // Hz: Schroeder's frequency
  double narrowest = 0.0;    // m: its narrowest side
  double sound_speed = 0.0;  // m/s
  bool relief = false;       // a material of its walls has scattering
};

struct Agreement {
  double low = 0.0, high = 0.0;  // Hz
  MeanDifference G, C80, T20;    // dB, dB, %
  std::optional<double> chance;  // dB: spread of G by chance, the mean over the pairs with a T20 of the wave response
  Trust trust = Trust::poor;
  std::vector<std::string> reasons;  // why it is not good, or may not be
};
Agreement agreement_of(std::span<const OverlapPair> pairs, Crossover crossover, const OverlapRoom& room = {});

// "agreement, 354 to 707 Hz: G +0.7 ± 0.4 dB, C80 -0.5 dB, T20 +1 %: good"
std::string agreement_text(const Agreement& agreement);

}  // namespace fdtd
