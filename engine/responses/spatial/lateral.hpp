// Lateral energy of one octave, of a receiver with an omnidirectional response p and that of a figure-of-eight p_L with
// its null towards the source: ISO 3382-1:2009, A.2.4 and A.2.5.
//
//   J_LF  = int_5^80 p_L^2 dt / int_0^80 p^2 dt     J_LFC = int_5^80 |p_L p| dt / int_0^80 p^2 dt   (ms from the onset)
//   L_J   = 10 lg (int_80^inf p_L^2 dt / int p_10^2 dt)
#pragma once

#include <cstddef>
#include <span>

namespace fdtd {

// Of the octave's signals after its filter, aligned alike.
struct LateralSignals {
  std::span<const double> pressure, lateral;
  double rate = 0.0;              // Hz
  int decimation = 1;             // the response's rate over this one
  std::size_t onset = 0;          // the sample of it
  std::size_t ahead = 0;          // samples before that belong to the sound: the filter's ringing
  double noise = 0.0;             // energy per sample of `pressure` that is noise
  double noise_of_lateral = 0.0;  // likewise
};

// Energies without the noise, in the units of the signals' squares.
struct LateralEnergy {
  double early = 0.0;            // of p to 80 ms
  double early_lateral = 0.0;    // of p_L from 5 to 80 ms
  double early_product = 0.0;    // of |p_L p| from 5 to 80 ms
  double lateral_to_80ms = 0.0;  // of p_L
};
inline constexpr double lateral_from = 0.005, early_until = 0.08;  // s

LateralEnergy lateral_energy(const LateralSignals& signals);

}  // namespace fdtd
