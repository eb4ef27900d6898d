// Absorption of a wall on the grid over that of its material, wave by wave.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "engine/plan/boundary.hpp"
#include "engine/walls/wall_waves.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

// Normalised admittance of branches, of which one has an E above 0 and none is negative, at omega T = `truth`.
std::complex<double> physical_admittance(std::span<const Branch> branches, double time_step, double truth);

// Absorption coefficient of a wall of normalised admittance y at the cosine of the angle of incidence.
inline double absorption_of(std::complex<double> y, double cosine) {
  return 4.0 * cosine * y.real() / std::norm(cosine + y);
}

// Absorption coefficient of a law at each wave over that of `branches` in theory. An absorption of min_absorption is
// added to both: relative errors of still less do not matter.
inline constexpr double min_absorption = 5e-4;
std::vector<double> absorption_ratios(const WallLaw& law, std::span<const Branch> branches, double time_step,
                                      const std::vector<WallWave>& waves);

// The largest omega T in air up to which every ratio is within 1 +- error; 0 if none is. `waves` by ascending
// frequency.
double valid_frequency(const std::vector<WallWave>& waves, std::span<const double> ratios, double error);

}  // namespace fdtd
