// Complex surface impedances -> parallel passive branches: tables of a user's, and porous layers.
#pragma once

#include <complex>
#include <optional>
#include <vector>

#include "scenes/scene.hpp"

namespace fdtd {

// What a wall's normalised admittance should be, for exp(+i omega t).
struct AdmittanceTarget {
  std::vector<double> frequencies;  // Hz, rising
  std::vector<std::complex<double>> values;
};

// The table at twelve frequencies an octave from its lowest to its highest, but no further than a quarter above
// `max_frequency` (Hz); between its lines impedance is straight over log frequency. One line stands for all frequencies.
AdmittanceTarget tabulated_target(const ImpedanceTable& table, double max_frequency);

// Twelve frequencies an octave from 20 Hz to a quarter above `max_frequency`.
AdmittanceTarget porous_target(const PorousLayer& layer, double max_frequency, double sound_speed);

// Normalised admittance of a porous layer before a rigid wall, with or without an air gap: M. E. Delany, E. N. Bazley,
// "Acoustical properties of fibrous absorbent materials", Appl. Acoust. 3 (1970), with the coefficients of Y. Miki,
// "Acoustical properties of porous materials", J. Acoust. Soc. Jpn. (E) 11 (1990). Made for f / flow_resistivity of 0.01 to
// 1 m3/kg; Miki's stay passive below. A negative real part, which they have at very low frequencies, counts as 0.
std::complex<double> porous_admittance(const PorousLayer& layer, double frequency, double sound_speed);

// Random-incidence coefficient of the target averaged over the octave; nullopt when it does not reach the octave's middle
// half.
std::optional<double> octave_band_absorption(const AdmittanceTarget& target, double centre);

struct AdmittanceFit {
  std::vector<Branch> branches;
  bool met = false;  // |R - R asked| at normal incidence is nowhere above 5 % of the absorption, 0.004 to 0.02
  double worst = 0.0, worst_frequency = 0.0;  // |R - R asked| where it is the worst by that measure
};
inline constexpr double reflection_tolerance = 0.02;

// Branches 1/(D s + E + F/s) with D, E, F >= 0 whose reflection coefficients at normal and at 60 degrees' incidence are
// nearest to the target's, at most ten of them. Deterministic.
AdmittanceFit fit_admittance(const AdmittanceTarget& target);

}  // namespace fdtd
