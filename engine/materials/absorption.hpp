// Materials as a scene states them -> passive branches, and the absorption of these branches.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "scenes/scene.hpp"

namespace fdtd {

// Normalised admittance of parallel branches at frequency f > 0 (Hz): sum 1/(D s + E + F/s), s = 2 pi i f. D in s,
// F in 1/s, E without unit.
std::complex<double> admittance(const std::vector<Branch>& branches, double frequency);

// Random-incidence absorption coefficient of a locally reacting wall of normalised admittance y: the integral of
// alpha(theta) sin 2 theta over 0..pi/2 (Paris), in closed form. In [0, 0.9512]; 0 where Re y <= 0.
double random_incidence_absorption(std::complex<double> y);
// Normal incidence: 1 - |(1 - y)/(1 + y)|^2.
double normal_incidence_absorption(std::complex<double> y);
// The real admittance, at most that of the maximum, whose random-incidence coefficient is alpha; that of the maximum if
// alpha is above it.
double admittance_of_absorption(double alpha);
// The largest random-incidence coefficient that a locally reacting wall can have: 0.9512, at y = 0.638.
double largest_random_incidence_absorption();

// Random-incidence coefficient of the branches averaged over the octave around `centre` (Hz), evenly in log frequency.
double octave_band_absorption(const std::vector<Branch>& branches, double centre);

struct MaterialFit {
  std::string name;
  Material::Kind kind = Material::Kind::rigid;
  std::vector<Branch> branches;  // empty: rigid
  // Random-incidence absorption by octave band; `asked`, the requested one, only for absorption, impedance and porous
  // layers.
  std::vector<double> bands, asked, fitted;
  // The fitted normal-incidence reflection coefficient and its frequencies (Hz); only for impedance and porous layers.
  std::vector<double> frequencies;
  std::vector<std::complex<double>> reflection;
  std::string origin;  // Material::origin
  std::string remark;  // "" or a limit of the fit to report (absorption above 0.95 cannot be reached ...)
};

// Whether band `band` counts in a fit up to `max_frequency` (Hz). The lowest band always does.
bool counts(const MaterialFit& fit, std::size_t band, double max_frequency);

// Fits a material. Bands whose centre is above `max_frequency` (Hz) do not count in the fit but are reported. Materials
// without bands are reported in the octaves 63 Hz .. 8 kHz up to max_frequency. `sound_speed` (m/s) matters only to
// porous layers. Deterministic. Throws Error (status scene) for absorption without as many coefficients as bands.
MaterialFit fit_material(const Material& material, double max_frequency, double sound_speed = 343.2);

}  // namespace fdtd
