#include "engine/planning/judge/wall_phase.hpp"

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "engine/materials/absorption.hpp"
#include "engine/walls/half_space.hpp"

namespace fdtd {

std::vector<double> wall_displacements(const WallLaw& law, const std::vector<Branch>& branches, double time_step,
                                       const std::vector<WallWave>& waves) {
  std::vector<double> displacements;
  for (const WallWave& wave : waves) {
    const std::complex<double> y = admittance(branches, wave.truth / (2.0 * std::numbers::pi * time_step));
    const std::complex<double> theory = (wave.cosine - y) / (wave.cosine + y);
    if (!(std::norm(theory) >= min_reflection)) {
      displacements.push_back(std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    const std::complex<double> found = 1.0 - 2.0 * wave.load.real() / (discrete_impedance(law, wave.omega) + wave.load);
    displacements.push_back(-std::arg(found / theory) / (2.0 * wave.k));
  }
  return displacements;
}

double furthest_displacement(const std::vector<WallWave>& waves, std::span<const double> displacements,
                             double highest) {
  constexpr double rounding = 1e-9;
  double furthest = 0.0;
  for (std::size_t i = 0; i < waves.size(); ++i)
    if (waves[i].truth <= highest * (1.0 + rounding) && std::abs(displacements[i]) > std::abs(furthest))
      furthest = displacements[i];
  return furthest;
}

}  // namespace fdtd
