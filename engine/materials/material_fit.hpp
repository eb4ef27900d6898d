// The branches by which a run takes a material, and how close they are to its stated absorption or impedance.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "engine/materials/material_law.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

struct MaterialFit {
  std::string name;
  Material::Kind kind = Material::Kind::rigid;
  MaterialLaw law;               // that the material states; rigid if unknown
  std::vector<Branch> branches;  // of the run; empty: rigid
  bool smooth_law = false;       // Material::smooth_law
  // Random-incidence absorption by octave band; `asked`, the requested one, only for absorption, impedance and porous
  // layers.
  std::vector<double> bands, asked, fitted;
  // The requested normal-incidence reflection coefficient and its frequencies (Hz); only for impedance and porous
  // layers.
  std::vector<double> frequencies;
  std::vector<std::complex<double>> reflection;
  std::string origin;  // Material::origin
  std::string remark;  // "" or a limit of the fit to report (absorption above 0.95 cannot be reached ...)
};

// Whether band `band` counts in a fit up to `max_frequency` (Hz). The lowest band always does.
bool counts(const MaterialFit& fit, std::size_t band, double max_frequency);

// The branches of a material up to `max_frequency` (Hz), with the admittance of its law. Bands whose centre is above are
// reported but not promised. Materials without bands are reported in the octaves 63 Hz .. 8 kHz up to max_frequency.
// `sound_speed` (m/s) matters only to porous layers. Deterministic. Throws as MaterialLaw.
MaterialFit fit_material(const Material& material, double max_frequency, double sound_speed = 343.2);
MaterialFit fit_material(const Material& material, const MaterialLaw& law, double max_frequency);

}  // namespace fdtd
