// Materials as a user states them -> passive branches, and what those absorb.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "scenes/scene.hpp"

namespace fdtd {

// Normalised admittance of parallel branches at frequency f > 0 (Hz): sum 1/(D s + E + F/s), s = 2 pi i f. D in s, F in 1/s.
std::complex<double> admittance(const std::vector<Branch>& branches, double frequency);

// Random-incidence absorption coefficient of a locally reacting wall of normalised admittance y: the integral of
// alpha(theta) sin 2 theta over 0..pi/2 (Paris), in closed form. In [0, 0.9512]; 0 where Re y <= 0.
double random_incidence_absorption(std::complex<double> y);
// Normal incidence: 1 - |(1 - y)/(1 + y)|^2.
double normal_incidence_absorption(std::complex<double> y);
// The real admittance (below the maximum's) whose random-incidence coefficient is alpha; alpha above the maximum gives the maximum.
double admittance_of_absorption(double alpha);
// The largest random-incidence coefficient that a locally reacting wall can have: 0.9512, at y = 0.638.
double largest_random_incidence_absorption();

// Random-incidence coefficient of the branches averaged over the octave around `centre` (Hz), evenly in log frequency.
double octave_band_absorption(const std::vector<Branch>& branches, double centre);

struct MaterialFit {
  std::string name;
  Material::Kind kind = Material::Kind::rigid;
  std::vector<Branch> branches;  // empty: rigid
  // Random-incidence absorption by octave band; `asked` only for absorption, impedance and porous layers.
  std::vector<double> bands, asked, fitted;
  // The normal-incidence reflection coefficient that was fitted, and at which frequencies (Hz); impedance and porous alone.
  std::vector<double> frequencies;
  std::vector<std::complex<double>> reflection;
  std::string origin;  // Material::origin
  std::string remark;  // "" or what a user must know (absorption above 0.95 cannot be reached ...)
};

// Does its band `band` count where the grid carries frequencies up to `max_frequency` (Hz)? The lowest always does.
bool counts(const MaterialFit& fit, std::size_t band, double max_frequency);

// Bands above `max_frequency` (Hz) do not count in the fit (their centre is beyond what the grid carries) but are told.
// Deterministic. Materials that state no bands are told in the octaves 63 Hz .. 8 kHz up to max_frequency.
// `sound_speed` (m/s) matters to porous layers alone.
MaterialFit fit_material(const Material& material, double max_frequency, double sound_speed = 343.2);

}  // namespace fdtd
