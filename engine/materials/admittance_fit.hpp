// A law's complex admittance -> parallel passive branches up to the frequencies of a run.
#pragma once

#include <vector>

#include "engine/materials/material_law.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

// Fits to tables and models reach this far above max_frequency.
inline constexpr double above_highest = 1.25;
inline constexpr double lowest_of_fits = 20.0;  // Hz

// `law`, or fewer branches that have its admittance up to `max_frequency` (Hz): the real part within 1.5 %, the imaginary
// part within 5 % of the modulus.
std::vector<Branch> branches_within(const std::vector<Branch>& law, double max_frequency);

struct AdmittanceFit {
  std::vector<Branch> branches;
  // Twelve an octave, over the range that the material states (a table's, or lowest_of_fits and above) up to
  // max_frequency.
  std::vector<double> frequencies;
  // |R - R requested| at normal incidence is nowhere above 5 % of the absorption, 0.004 to 0.02; judged up to
  // max_frequency at the lines of a table and closely between them.
  bool met = false;
  double worst = 0.0, worst_frequency = 0.0;  // the largest
};
inline constexpr double reflection_tolerance = 0.02;

// At most ten branches 1/(D s + E + F/s) with D, E, F >= 0 whose reflection coefficients at normal incidence and at
// 60 degrees, and whose absorption, are nearest to those of a table or a porous layer. No resonance is sharper than the
// spacing of a table's lines shows. Deterministic.
AdmittanceFit fit_admittance(const MaterialLaw& law, double max_frequency);

}  // namespace fdtd
