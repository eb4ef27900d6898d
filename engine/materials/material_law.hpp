// The law of a wall as its material states it: an admittance at every frequency, whatever the frequencies of a run.
#pragma once

#include <complex>
#include <optional>
#include <vector>

#include "scenes/scene.hpp"

namespace fdtd {

class MaterialLaw {
 public:
  MaterialLaw() = default;  // rigid
  // Absorption by octave becomes branches (fit_band_law, smooth_band_law). `sound_speed` (m/s) matters only to porous layers. Throws
  // Error (status scene) for absorption without as many coefficients as bands.
  explicit MaterialLaw(Material material, double sound_speed = 343.2);

  // Normalised, f > 0 in Hz.
  std::complex<double> admittance(double frequency) const;
  // As the function below.
  double stated_absorption(double centre) const;

  Material::Kind kind() const { return material_.kind; }
  // Of a law that is branches; empty for tables, porous layers and rigid walls.
  const std::vector<Branch>& branches() const { return branches_; }
  const ImpedanceTable& table() const { return material_.impedance; }
  double sound_speed() const { return sound_speed_; }

 private:
  Material material_;
  std::vector<Branch> branches_;
  double sound_speed_ = 343.2;
};

// The coefficient that a material states for the octave around `centre` (Hz), whatever the frequencies of a run: of its
// bands, between them by the logarithm of frequency and beyond them that of the nearest; of other kinds the
// random-incidence coefficient averaged over the octave, evenly in log frequency.
double stated_absorption(const Material& material, double centre, double sound_speed = 343.2);

// The table's admittance. Between its lines impedance is linear in log frequency, admittance where reactance falls
// through 0 (between the resonances of a passive wall it does so where the impedance is large): both stay passive.
// Outside, resistance is that of the nearest line, and reactance that of a spring where it is negative and of a mass
// where it is positive.
std::complex<double> interpolated_admittance(const ImpedanceTable& table, double frequency);

// Normalised admittance of a porous layer in front of a rigid wall, with or without an air gap: M. E. Delany,
// E. N. Bazley, "Acoustical properties of fibrous absorbent materials", Appl. Acoust. 3 (1970), with the coefficients
// of Y. Miki, "Acoustical properties of porous materials", J. Acoust. Soc. Jpn. (E) 11 (1990). The model is valid for f
// / flow_resistivity of 0.01 to 1 m3/kg; Miki's coefficients stay passive below. The negative real part that they have
// at very low frequencies is replaced by 0.
std::complex<double> porous_admittance(const PorousLayer& layer, double frequency, double sound_speed);

}  // namespace fdtd
