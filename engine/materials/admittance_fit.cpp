// Branches are added one at a time where the reflection coefficient is farthest from the requested one, and all are
// refined together. The first follows from the layer itself: a stiffness at low frequencies, a mass where the reactance
// changes sign.
#include "engine/materials/admittance_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "engine/materials/absorption.hpp"
#include "engine/materials/resonator_fit.hpp"

namespace fdtd {
namespace {

using Complex = std::complex<double>;

constexpr double points_an_octave = 12.0;
constexpr double log_bound = 16.0;  // of D omega0, E, F / omega0
constexpr int max_branches = 10;
constexpr double good_enough = 0.8;  // misfit in tolerances at which no branch is added
constexpr std::array<double, 2> cosines = {1.0, 0.5};

std::vector<double> frequencies_between(double low, double high) {
  std::vector<double> all;
  const auto count = static_cast<int>(std::max(1.0, std::ceil(points_an_octave * std::log2(high / low))));
  for (int i = 0; i <= count; ++i) all.push_back(low * std::pow(high / low, static_cast<double>(i) / count));
  return all;
}

Complex interpolated(const ImpedanceTable& table, double frequency) {
  const auto& f = table.frequencies;
  if (frequency <= f.front()) return table.values.front();
  if (frequency >= f.back()) return table.values.back();
  const auto i = static_cast<std::size_t>(std::upper_bound(f.begin(), f.end(), frequency) - f.begin());
  const double t = std::log(frequency / f[i - 1]) / std::log(f[i] / f[i - 1]);
  return table.values[i - 1] + t * (table.values[i] - table.values[i - 1]);
}

// 1/Z; zero impedance is replaced by a very small one.
Complex inverse(Complex impedance) { return 1.0 / (std::abs(impedance) < 1e-6 ? Complex(1e-6) : impedance); }

Complex reflection(Complex y, double cosine) { return (cosine - y) / (cosine + y); }

// Tolerance of the reflection coefficient: smaller for walls that absorb little, to bound the relative error of
// absorption.
double tolerance(Complex y) {
  return std::clamp(0.05 * normal_incidence_absorption(y), 0.2 * reflection_tolerance, reflection_tolerance);
}

double centre_of(const AdmittanceTarget& target) {
  return 2.0 * std::numbers::pi * std::sqrt(target.frequencies.front() * target.frequencies.back());
}

// x: log(D omega0), log E, log(F / omega0) of each branch.
void evaluate(const AdmittanceTarget& target, double omega0, const Eigen::VectorXd& x, Eigen::VectorXd& r,
              Eigen::MatrixXd* jacobian) {
  Eigen::VectorXcd slope(x.size());
  Eigen::Index row = 0;
  for (std::size_t j = 0; j < target.frequencies.size(); ++j) {
    const Complex s(0.0, 2.0 * std::numbers::pi * target.frequencies[j] / omega0);
    const Complex y = admittance(x, s, slope);
    for (const double cosine : cosines) {
      const Complex miss = reflection(y, cosine) - reflection(target.values[j], cosine);
      const double weight = reflection_tolerance / tolerance(target.values[j]);
      r[row] = weight * miss.real();
      r[row + 1] = weight * miss.imag();
      if (jacobian != nullptr) {
        const Complex by_y = -2.0 * weight * cosine / ((cosine + y) * (cosine + y));
        const Eigen::RowVectorXcd by_x = (by_y * slope).transpose();
        jacobian->row(row) = by_x.real();
        jacobian->row(row + 1) = by_x.imag();
      }
      row += 2;
    }
  }
}

// The frequency of the largest error of the reflection coefficient at normal incidence, and that error in tolerances.
std::pair<std::size_t, double> farthest(const AdmittanceTarget& target, const std::vector<Branch>& branches) {
  std::pair<std::size_t, double> worst{0, -1.0};
  for (std::size_t j = 0; j < target.frequencies.size(); ++j) {
    const Complex miss =
        reflection(admittance(branches, target.frequencies[j]), 1.0) - reflection(target.values[j], 1.0);
    const double share = std::abs(miss) / tolerance(target.values[j]);
    if (share > worst.second) worst = {j, share};
  }
  return worst;
}

Eigen::VectorXd joined(const Eigen::VectorXd& x, double mass, double resistance, double spring) {
  const auto log = [](double v) { return std::clamp(std::log(std::max(v, 1e-300)), -log_bound, log_bound); };
  return with_branch(x, log(mass), log(resistance), log(spring));
}

// Start values with one more branch: resonators of three widths where the error is largest; the first is the whole
// layer.
std::vector<Eigen::VectorXd> starts(const AdmittanceTarget& target, double omega0, const Eigen::VectorXd& before) {
  std::vector<Eigen::VectorXd> result;
  const auto omega_at = [&](std::size_t j) { return 2.0 * std::numbers::pi * target.frequencies[j] / omega0; };
  if (before.size() == 0) {
    const Complex z = inverse(target.values.front());
    std::size_t turn = 0;  // where the reactance becomes that of a mass
    while (turn + 1 < target.values.size() && inverse(target.values[turn]).imag() < 0.0) ++turn;
    const double spring = std::max(-z.imag() * omega_at(0), 1e-6);
    const double resistance = std::max(inverse(target.values[turn]).real(), 1e-6);
    result.push_back(joined({}, spring / (omega_at(turn) * omega_at(turn)), resistance, spring));
    result.push_back(joined({}, 1e-6, resistance, 1e-6));
  }
  const std::vector<Branch> branches = branches_of(before, omega0);
  const std::size_t at = farthest(target, branches).first;
  const Complex missing = target.values[at] - admittance(branches, target.frequencies[at]);
  const double resistance = 1.0 / std::max(std::abs(missing), 1e-4);
  for (const double q : {0.3, 1.0, 5.0})
    result.push_back(joined(before, q * resistance / omega_at(at), resistance, q * resistance * omega_at(at)));
  return result;
}

}  // namespace

AdmittanceTarget tabulated_target(const ImpedanceTable& table, double max_frequency) {
  AdmittanceTarget target;
  const double low = table.frequencies.front(), high = std::min(table.frequencies.back(), 1.25 * max_frequency);
  if (high <= low) {  // one line, or none below max_frequency: the lowest line holds for all
    target.frequencies = {low};
    target.values = {inverse(table.values.front())};
    return target;
  }
  target.frequencies = frequencies_between(low, high);
  for (const double f : target.frequencies) target.values.push_back(inverse(interpolated(table, f)));
  return target;
}

Complex porous_admittance(const PorousLayer& layer, double frequency, double sound_speed) {
  const double x = 1e3 * frequency / layer.flow_resistivity, omega = 2.0 * std::numbers::pi * frequency;
  const Complex characteristic(1.0 + 5.50 * std::pow(x, -0.632), -8.43 * std::pow(x, -0.632));
  const Complex wave_number =
      omega / sound_speed * Complex(1.0 + 7.81 * std::pow(x, -0.618), -11.41 * std::pow(x, -0.618));
  const Complex tangent = std::tan(wave_number * layer.thickness), i(0.0, 1.0);
  // A line of characteristic admittance Y_c that ends in Y_e: Y_c (Y_e + i Y_c tan) / (Y_c + i Y_e tan).
  const Complex own = 1.0 / characteristic;
  const Complex end = layer.air_gap > 0.0 ? i * std::tan(omega / sound_speed * layer.air_gap) : Complex(0.0);
  const Complex y = own * (end + i * own * tangent) / (own + i * end * tangent);
  return {std::max(y.real(), 0.0), y.imag()};
}

AdmittanceTarget porous_target(const PorousLayer& layer, double max_frequency, double sound_speed) {
  AdmittanceTarget target;
  target.frequencies = frequencies_between(20.0, std::max(40.0, 1.25 * max_frequency));
  for (const double f : target.frequencies) target.values.push_back(porous_admittance(layer, f, sound_speed));
  return target;
}

std::optional<double> octave_band_absorption(const AdmittanceTarget& target, double centre) {
  const auto& f = target.frequencies;
  if (f.size() == 1) return random_incidence_absorption(target.values.front());
  if (f.front() > centre * std::exp2(-0.25) || f.back() < centre * std::exp2(0.25)) return std::nullopt;
  ImpedanceTable by_admittance{f, target.values};
  constexpr int points = 12;
  double sum = 0.0;
  for (int j = 0; j < points; ++j)
    sum += random_incidence_absorption(interpolated(by_admittance, centre * std::exp2((j + 0.5) / points - 0.5)));
  return sum / points;
}

AdmittanceFit fit_admittance(const AdmittanceTarget& target) {
  const double omega0 = centre_of(target);
  ResonatorSearch how;
  how.residuals = static_cast<int>(2 * cosines.size() * target.frequencies.size());
  how.evaluate = [&](const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd* j) {
    evaluate(target, omega0, x, r, j);
  };
  how.omega0 = omega0;
  how.log_bound = log_bound;
  how.max_branches = max_branches;
  how.starts = [&](int, const Eigen::VectorXd& before) { return starts(target, omega0, before); };
  how.misfit = [&](const std::vector<Branch>& branches) { return farthest(target, branches).second; };
  how.enough = good_enough;
  how.gain = 0.95;
  AdmittanceFit best;
  best.branches = search(how).branches;
  const double limit = std::max(good_enough, 1.02 * farthest(target, best.branches).second);
  prune(best.branches, [&](const std::vector<Branch>& branches) { return farthest(target, branches).second <= limit; });
  const auto [at, worst] = farthest(target, best.branches);
  best.worst = worst * tolerance(target.values[at]);
  best.met = worst <= 1.0;
  best.worst_frequency = target.frequencies[at];
  return best;
}

}  // namespace fdtd
