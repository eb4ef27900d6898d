#include "engine/walls/absorption_ratios.hpp"

#include <algorithm>
#include <cmath>

#include "base/math/quotient.hpp"

namespace fdtd {

using Complex = std::complex<double>;

Complex physical_admittance(std::span<const Branch> branches, double time_step, double truth) {
  const Complex s(0.0, truth / time_step);
  Complex y = 0.0;
  for (const Branch& branch : branches) y += quotient(1.0, impedance(branch, s));
  return y;
}

std::vector<double> absorption_ratios(const WallLaw& law, std::span<const Branch> branches, double time_step,
                                      const std::vector<WallWave>& waves) {
  std::vector<double> ratios;
  for (const WallWave& wave : waves) {
    const Complex s(0.0, 2.0 * std::tan(wave.omega / 2.0));
    Complex y = 0.0;
    for (const LawBranch& b : law.branches) y += 1.0 / impedance(b, s);
    const Complex z = law.inertance * s + 1.0 / y;
    const double absorbed = 4.0 * wave.load.real() * z.real() / std::norm(z + wave.load);
    const double truth = absorption_of(physical_admittance(branches, time_step, wave.truth), wave.cosine);
    ratios.push_back((absorbed + min_absorption) / (truth + min_absorption));
  }
  return ratios;
}

double valid_frequency(const std::vector<WallWave>& waves, std::span<const double> ratios, double error) {
  double valid = 0.0, before = 0.0;
  for (std::size_t begin = 0, end = 0; begin < waves.size(); begin = end) {
    double worst = 0.0;  // of this frequency
    for (end = begin; end < waves.size() && waves[end].truth == waves[begin].truth; ++end)
      worst = std::max(worst, std::isnan(ratios[end]) ? INFINITY : std::abs(ratios[end] - 1.0));
    if (worst > error)  // linear between the two frequencies
      return begin == 0 ? 0.0 : valid + (waves[begin].truth - valid) * (error - before) / (worst - before);
    valid = waves[begin].truth;
    before = worst;
  }
  return valid;
}

}  // namespace fdtd
