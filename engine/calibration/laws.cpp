#include "engine/calibration/laws.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/materials/absorption.hpp"
#include "engine/materials/band_law.hpp"

namespace fdtd {
namespace {

constexpr int steps = 12;
constexpr double damping = 0.7;  // small changes of a table may change the branches that its law takes

double four_digits(double value) {
  if (!(value > 0.0)) return 0.0;
  const double unit = std::pow(10.0, 3.0 - std::floor(std::log10(value)));
  return std::round(value * unit) / unit;
}

double exponent(double alpha) { return -std::log1p(-alpha); }

}  // namespace

double absorption_of_law(const AbsorptionTable& table, double octave) {
  return octave_band_absorption(fit_band_law(table.bands, table.alpha), octave);
}

AbsorptionTable table_for(AbsorptionTable table, const std::vector<WantedAbsorption>& wanted) {
  std::vector<std::size_t> at;
  for (const WantedAbsorption& one : wanted) {
    at.push_back(static_cast<std::size_t>(std::ranges::find(table.bands, one.octave) - table.bands.begin()));
    table.alpha[at.back()] = four_digits(one.alpha);
  }
  if (wanted.empty()) return table;
  AbsorptionTable best = table;
  double least = std::numeric_limits<double>::infinity();
  for (int step = 0; step < steps; ++step) {
    const std::vector<Branch> law = fit_band_law(table.bands, table.alpha);
    double worst = 0.0;
    AbsorptionTable next = table;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const double error = exponent(wanted[i].alpha) / exponent(octave_band_absorption(law, wanted[i].octave));
      worst = std::max(worst, std::abs(std::log(error)));
      const double stated = -std::expm1(-exponent(table.alpha[at[i]]) * std::pow(error, damping));
      next.alpha[at[i]] = four_digits(std::clamp(stated, least_alpha, largest_alpha));
    }
    if (worst < least) least = worst, best = table;
    table = next;
  }
  return best;
}

}  // namespace fdtd
