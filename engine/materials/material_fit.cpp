// Octave-band absorption -> parallel passive branches. Each branch is a resonator 1/(D s + E + F/s); D, E, F > 0 since
// the fit searches their logarithms. It fits the Paris coefficient averaged over each octave, with a weak pull towards
// the straight line between the bands' centres, so that no resonance hides between them. Branches are added where the
// misfit is largest until every band is met: branches cost time at the walls.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "engine/error.hpp"
#include "engine/materials/absorption.hpp"
#include "engine/materials/admittance_fit.hpp"
#include "engine/materials/resonator_fit.hpp"

namespace fdtd {
namespace {

using Complex = std::complex<double>;

constexpr int points_a_band = 12;    // as in octave_band_absorption
constexpr double smoothness = 0.1;   // weight of the pull between centres, against 1 of the bands
constexpr double good_enough = 0.8;  // largest misfit over tolerance at which no branch is added
constexpr double log_bound = 14.0;   // of D omega0, E, F / omega0

// A band is met within 0.01 absolute or 5 %.
double tolerance(double alpha) { return std::max(0.01, 0.05 * alpha); }

struct Target {
  std::vector<double> centres, alpha;          // bands that count, ascending, alpha clamped to the maximum
  std::vector<double> all_centres, all_alpha;  // and bands above the grid's frequencies
  std::vector<double> frequencies;             // points_a_band for each band, then those outside all bands
  std::vector<double> wanted;                  // at each frequency
  double omega0 = 1.0;  // 2 pi times the geometric mean of the centres: makes D and F dimensionless

  // Linear in log frequency between the centres, constant outside.
  double at(double frequency) const {
    if (frequency <= all_centres.front()) return all_alpha.front();
    if (frequency >= all_centres.back()) return all_alpha.back();
    const auto upper = std::upper_bound(all_centres.begin(), all_centres.end(), frequency) - all_centres.begin();
    const auto i = static_cast<std::size_t>(upper);
    const double t = std::log(frequency / all_centres[i - 1]) / std::log(all_centres[i] / all_centres[i - 1]);
    return all_alpha[i - 1] + t * (all_alpha[i] - all_alpha[i - 1]);
  }
};

Target make_target(const Material& material, double max_frequency) {
  std::vector<std::size_t> order(material.bands.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return material.bands[a] < material.bands[b]; });
  Target target;
  for (std::size_t i : order) {
    target.all_centres.push_back(material.bands[i]);
    target.all_alpha.push_back(std::min(material.alpha[i], largest_random_incidence_absorption()));
    // The lowest band always counts: something must be fitted.
    if (material.bands[i] > max_frequency && !target.centres.empty()) continue;
    target.centres.push_back(material.bands[i]);
    target.alpha.push_back(std::min(material.alpha[i], largest_random_incidence_absorption()));
  }
  const double lowest = target.centres.front(), highest = target.centres.back();
  target.omega0 = 2.0 * std::numbers::pi * std::sqrt(lowest * highest);
  for (double centre : target.centres) {
    for (int j = 0; j < points_a_band; ++j) {
      target.frequencies.push_back(centre * std::exp2((j + 0.5) / points_a_band - 0.5));
    }
  }
  // Two octaves below the lowest band, and above the highest up to the grid's frequencies: absorption stays constant
  // there.
  for (int j = 0; j < 6; ++j) {
    const double below = lowest * std::exp2(-0.5 - (j + 0.5) / 3.0), above = highest * std::exp2(0.5 + (j + 0.5) / 3.0);
    target.frequencies.push_back(below);
    if (above <= max_frequency) target.frequencies.push_back(above);
  }
  for (double frequency : target.frequencies) target.wanted.push_back(target.at(frequency));
  return target;
}

// One branch in logarithms: log(D omega0), log E, log(F / omega0).
using Logs = std::array<double, 3>;

// Residuals: misfit of every band divided by its tolerance, then the pull at every frequency.
void evaluate(const Target& target, const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd* jacobian) {
  const auto bands = static_cast<Eigen::Index>(target.centres.size());
  const double pull = smoothness / std::sqrt(static_cast<double>(points_a_band));
  r.head(bands).setZero();
  if (jacobian != nullptr) jacobian->topRows(bands).setZero();
  Eigen::VectorXcd slope(x.size());  // dy/dx
  for (Eigen::Index j = 0; j < static_cast<Eigen::Index>(target.frequencies.size()); ++j) {
    const auto at = static_cast<std::size_t>(j);
    const Complex s(0.0, 2.0 * std::numbers::pi * target.frequencies[at] / target.omega0);
    const Complex y = admittance(x, s, slope);
    const double alpha = random_incidence_absorption(y);
    const double scale = 1.0 / tolerance(target.wanted[at]);
    const Eigen::Index band = j / points_a_band;
    const bool inside = band < bands;
    const double share = inside ? 1.0 / (points_a_band * tolerance(target.alpha[static_cast<std::size_t>(band)])) : 0.0;
    r[bands + j] = pull * scale * (alpha - target.wanted[at]);
    if (inside) r[band] += share * (alpha - target.alpha[static_cast<std::size_t>(band)]);
    if (jacobian == nullptr) continue;
    const double step = 1e-5 * std::abs(y);
    const double by_real =
        (random_incidence_absorption(y + step) - random_incidence_absorption(y - step)) / (2.0 * step);
    const Complex turn(0.0, step);
    const double by_imag =
        (random_incidence_absorption(y + turn) - random_incidence_absorption(y - turn)) / (2.0 * step);
    const Eigen::RowVectorXd row = (by_real * slope.real() + by_imag * slope.imag()).transpose();
    jacobian->row(bands + j) = pull * scale * row;
    if (inside) jacobian->row(band) += share * row;
  }
}

// Largest misfit of a band that counts, divided by its tolerance.
double worst_misfit(const Target& target, const std::vector<Branch>& branches) {
  double worst = 0.0;
  for (std::size_t i = 0; i < target.centres.size(); ++i) {
    const double misfit = octave_band_absorption(branches, target.centres[i]) - target.alpha[i];
    worst = std::max(worst, std::abs(misfit) / tolerance(target.alpha[i]));
  }
  return worst;
}

// A resonator at `frequency` that by itself absorbs alpha there, of quality factor q.
Logs resonator(const Target& target, double frequency, double alpha, double q) {
  const double resistance = 1.0 / std::max(admittance_of_absorption(alpha), 1e-4);
  const double omega = 2.0 * std::numbers::pi * frequency / target.omega0;
  return {std::log(q * resistance / omega), std::log(resistance), std::log(q * resistance * omega)};
}

Eigen::VectorXd joined(const Eigen::VectorXd& x, const Logs& branch) {
  return with_branch(x, branch[0], branch[1], branch[2]);
}

// Start values for n branches: evenly spread resonators; a wide one below n - 1 narrow ones; the best n - 1 branches
// and one more where their misfit is largest.
std::vector<Eigen::VectorXd> starts(const Target& target, int n, const Eigen::VectorXd& previous) {
  const double low = std::log(target.centres.front()) - 0.35, high = std::log(target.centres.back()) + 0.35;
  const auto smallest = *std::min_element(target.alpha.begin(), target.alpha.end());
  std::vector<Eigen::VectorXd> result;
  for (int wide = 0; wide < 2; ++wide) {
    Eigen::VectorXd x;
    if (wide != 0)
      x = joined(x, resonator(target, target.omega0 / (2.0 * std::numbers::pi), std::max(smallest, 0.003), 0.01));
    const int narrow = n - wide;
    for (int i = 0; i < narrow; ++i) {
      const double frequency = std::exp(low + (high - low) * (i + 0.5) / narrow);
      const double q = 0.5 / std::sinh(0.5 * (high - low) / narrow);
      x = joined(x, resonator(target, frequency, target.at(frequency), q));
    }
    result.push_back(x);
  }
  const auto peak =
      static_cast<std::size_t>(std::max_element(target.alpha.begin(), target.alpha.end()) - target.alpha.begin());
  if (n == 1) {
    result.push_back(joined({}, resonator(target, target.centres[peak], target.alpha[peak], 1.0)));
    return result;
  }
  const std::vector<Branch> branches = branches_of(previous, target.omega0);
  std::size_t at = 0;
  double worst = -1.0, missing = 0.0;
  for (std::size_t i = 0; i < target.centres.size(); ++i) {
    const double misfit = target.alpha[i] - octave_band_absorption(branches, target.centres[i]);
    if (std::abs(misfit) / tolerance(target.alpha[i]) > worst) {
      worst = std::abs(misfit) / tolerance(target.alpha[i]);
      at = i;
      missing = misfit;
    }
  }
  result.push_back(joined(previous, resonator(target, target.centres[at], std::max(std::abs(missing), 0.005), 1.0)));
  return result;
}

std::vector<Branch> fit_absorption(const Target& target) {
  if (*std::max_element(target.alpha.begin(), target.alpha.end()) <= 0.0) return {};
  ResonatorSearch how;
  how.residuals = static_cast<int>(target.centres.size() + target.frequencies.size());
  how.evaluate = [&](const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd* j) { evaluate(target, x, r, j); };
  how.omega0 = target.omega0;
  how.log_bound = log_bound;
  how.max_branches = static_cast<int>(target.centres.size());
  how.starts = [&](int n, const Eigen::VectorXd& before) { return starts(target, n, before); };
  how.misfit = [&](const std::vector<Branch>& branches) { return worst_misfit(target, branches); };
  how.enough = good_enough;
  how.gain = 0.9;
  ResonatorFit best = search(how);
  const double limit = std::max(good_enough, 1.02 * best.misfit);
  prune(best.branches, [&](const std::vector<Branch>& branches) {
    return !branches.empty() && worst_misfit(target, branches) <= limit;
  });
  return best.branches;
}

void add_remark(std::string& remark, const std::string& sentence) {
  if (!remark.empty()) remark += "; ";
  remark += sentence;
}

MaterialFit fit_of_bands(const Material& material, double max_frequency, MaterialFit fit) {
  if (material.bands.empty() || material.bands.size() != material.alpha.size()) {
    throw Error(
        Status::scene,
        fmt::format("material {}: absorption needs as many coefficients as bands, and one at least", material.name));
  }
  const Target target = make_target(material, max_frequency);
  fit.branches = fit_absorption(target);
  fit.bands = material.bands;
  fit.asked = material.alpha;
  const double max = largest_random_incidence_absorption();
  for (std::size_t i = 0; i < fit.bands.size(); ++i) {
    fit.fitted.push_back(octave_band_absorption(fit.branches, fit.bands[i]));
    if (!counts(fit, i, max_frequency)) continue;
    if (fit.asked[i] > max) {
      add_remark(fit.remark, fmt::format("{:.3f} at {:g} Hz is more than a locally reacting wall can absorb in random "
                                         "incidence ({:.3f}): it absorbs {:.3f}",
                                         fit.asked[i], fit.bands[i], max, fit.fitted[i]));
    } else if (std::abs(fit.fitted[i] - fit.asked[i]) > tolerance(fit.asked[i])) {
      add_remark(fit.remark, fmt::format("{:.3f} requested at {:g} Hz, {:.3f} is the nearest with passive branches",
                                         fit.asked[i], fit.bands[i], fit.fitted[i]));
    }
  }
  if (target.centres.front() > max_frequency) {
    add_remark(fit.remark,
               fmt::format("all bands lie above {:g} Hz: the lowest one's absorption is used", max_frequency));
  }
  return fit;
}

MaterialFit fit_of_target(const AdmittanceTarget& target, MaterialFit fit) {
  const AdmittanceFit found = fit_admittance(target);
  fit.branches = found.branches;
  fit.frequencies = target.frequencies;
  for (const Complex& y : target.values) fit.reflection.push_back((1.0 - y) / (1.0 + y));
  for (double centre = 62.5; centre <= 16000.0; centre *= 2.0) {
    const double nominal = centre == 62.5 ? 63.0 : centre;
    const auto asked = octave_band_absorption(target, nominal);
    if (!asked) continue;
    fit.bands.push_back(nominal);
    fit.asked.push_back(*asked);
    fit.fitted.push_back(octave_band_absorption(fit.branches, nominal));
  }
  if (!found.met)
    add_remark(fit.remark, fmt::format("the reflection coefficient is off by {:.2g} at {:.4g} Hz, the worst place",
                                       found.worst, found.worst_frequency));
  return fit;
}

}  // namespace

bool counts(const MaterialFit& fit, std::size_t band, double max_frequency) {
  return fit.bands[band] <= max_frequency || fit.bands[band] <= *std::ranges::min_element(fit.bands);
}

MaterialFit fit_material(const Material& material, double max_frequency, double sound_speed) {
  MaterialFit fit;
  fit.name = material.name;
  fit.kind = material.kind;
  fit.origin = material.origin;
  switch (material.kind) {
    case Material::Kind::rigid:
      break;
    case Material::Kind::absorption:
      return fit_of_bands(material, max_frequency, std::move(fit));
    case Material::Kind::admittance:
      if (material.admittance > 0.0) fit.branches = {{0.0, 1.0 / material.admittance, 0.0}};
      break;
    case Material::Kind::branches:
      fit.branches = material.branches;
      break;
    case Material::Kind::impedance:
      return fit_of_target(tabulated_target(material.impedance, max_frequency), std::move(fit));
    case Material::Kind::porous:
      return fit_of_target(porous_target(material.porous, max_frequency, sound_speed), std::move(fit));
  }
  for (double centre = 62.5; centre <= std::min(max_frequency, 8000.0); centre *= 2.0) {
    fit.bands.push_back(centre == 62.5 ? 63.0 : centre);
    fit.fitted.push_back(octave_band_absorption(fit.branches, fit.bands.back()));
  }
  return fit;
}

}  // namespace fdtd
