// Complex surface impedances -> parallel passive branches: tables given by a user, and porous layers.
#pragma once

#include <complex>
#include <optional>
#include <vector>

#include "scenes/scene.hpp"

namespace fdtd {

// The normalised admittance that a wall should have, for exp(+i omega t).
struct AdmittanceTarget {
  std::vector<double> frequencies;  // Hz, ascending
  std::vector<std::complex<double>> values;
};

// The table at twelve frequencies per octave from its lowest to its highest, but at most to 1.25 `max_frequency` (Hz);
// between its lines impedance is linear in log frequency. A single line holds for all frequencies.
AdmittanceTarget tabulated_target(const ImpedanceTable& table, double max_frequency);

// Twelve frequencies per octave from 20 Hz to 1.25 `max_frequency` (Hz).
AdmittanceTarget porous_target(const PorousLayer& layer, double max_frequency, double sound_speed);

// Normalised admittance of a porous layer in front of a rigid wall, with or without an air gap: M. E. Delany,
// E. N. Bazley, "Acoustical properties of fibrous absorbent materials", Appl. Acoust. 3 (1970), with the coefficients
// of Y. Miki, "Acoustical properties of porous materials", J. Acoust. Soc. Jpn. (E) 11 (1990). The model is valid for f
// / flow_resistivity of 0.01 to 1 m3/kg; Miki's coefficients stay passive below. The negative real part that they have
// at very low frequencies is replaced by 0.
std::complex<double> porous_admittance(const PorousLayer& layer, double frequency, double sound_speed);

// Random-incidence coefficient of the target, averaged over the octave; nullopt when the target does not cover the
// octave's middle half.
std::optional<double> octave_band_absorption(const AdmittanceTarget& target, double centre);

struct AdmittanceFit {
  std::vector<Branch> branches;
  bool met = false;  // |R - R requested| at normal incidence is nowhere above 5 % of the absorption, 0.004 to 0.02
  double worst = 0.0, worst_frequency = 0.0;  // largest |R - R requested| by that measure
};
inline constexpr double reflection_tolerance = 0.02;

// At most ten branches 1/(D s + E + F/s) with D, E, F >= 0 whose reflection coefficients at normal incidence and at
// 60 degrees are nearest to those of the target. Deterministic.
AdmittanceFit fit_admittance(const AdmittanceTarget& target);

}  // namespace fdtd
