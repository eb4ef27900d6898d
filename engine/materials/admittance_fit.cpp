// Branches are added one at a time where the fit is farthest from the law, and all are refined together. The first
// follows from the law itself: a stiffness at low frequencies, a mass where the reactance changes sign. A law that is
// branches is the other way round: it loses them, one at a time, while the rest can be refined to its admittance.
#include "engine/materials/admittance_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "engine/materials/absorption.hpp"
#include "engine/materials/band_law.hpp"
#include "engine/materials/resonator_fit.hpp"

namespace fdtd {
namespace {

using Complex = std::complex<double>;

constexpr double log_bound = 16.0;  // of log E
constexpr int max_branches = 10;
constexpr double good_enough = 0.9, tolerated = 0.9;  // misfits in tolerances: see ResonatorSearch
constexpr std::array<double, 2> cosines = {1.0, 0.5};
constexpr double points_of_models = 8.0, points_outside = 3.0, max_points = 24.0;  // an octave
constexpr double outside_weight = 0.1,
                 above_weight = 0.5;     // weight of frequencies that a table does not state
constexpr double sharpest_model = 20.0;  // quality factor of resonances of porous layers before air
// A resonance is no narrower than this fraction of the distance between a table's lines.
constexpr double narrowest = 0.7;
constexpr double judged_points = 96.0, plotted_points = 12.0;  // an octave
// Single frequencies may be off by this many times what octaves may. The reflection coefficient decides where more than
// `hard` is absorbed.
constexpr double of_octave = 4.0, hard = 0.1;

struct GoalPoint {
  double frequency = 0.0;
  Complex y;
  double absorption = 0.0, tolerance = 1.0;  // random incidence; by the mean of an octave, so that a notch is no more
  double weight = 1.0;
  bool counts = true;
};

struct Goal {
  std::vector<GoalPoint> points;
  double omega0 = 1.0, reach = 0.0, max_sharpness = 1.0;
};

Complex reflection(Complex y, double cosine) { return (cosine - y) / (cosine + y); }

double tolerance_of_reflection(Complex y) {
  return std::clamp(0.05 * normal_incidence_absorption(y), 0.2 * reflection_tolerance, reflection_tolerance);
}

GoalPoint point_of(const MaterialLaw& law, double frequency, double weight, bool counts) {
  const Complex y = law.admittance(frequency);
  const double mean = law.stated_absorption(frequency), over = mean / hard;
  const double tolerance = of_octave * absorption_tolerance(mean) * (1.0 + over * over);
  return {frequency, y, random_incidence_absorption(y), tolerance, weight, counts};
}

void set_range(Goal& goal, double low, double high) {
  goal.omega0 = 2.0 * std::numbers::pi * std::sqrt(low * high);
  goal.reach = 0.5 * std::log(high / low) + 3.0;
}

constexpr Eigen::Index rows_a_point = 1 + 2 * static_cast<Eigen::Index>(cosines.size());

// Residuals in tolerances; x: log(D omega0), log E, log(F / omega0) of each branch.
void evaluate(const Goal& goal, const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd* jacobian) {
  Eigen::VectorXcd slope(x.size());
  const Eigen::VectorXd values = exponentials(x);
  Eigen::Index row = 0;
  for (const GoalPoint& point : goal.points) {
    const Complex s(0.0, 2.0 * std::numbers::pi * point.frequency / goal.omega0);
    const Complex y = admittance(values, s, slope);
    const AbsorptionSlope alpha = slope_of_absorption(y);
    const double of_absorption = point.weight / point.tolerance;
    r[row] = of_absorption * (alpha.value - point.absorption);
    if (jacobian != nullptr)
      jacobian->row(row) =
          of_absorption * (alpha.by_real * slope.real() + alpha.by_imaginary * slope.imag()).transpose();
    ++row;
    const double weight = point.weight / tolerance_of_reflection(point.y);
    for (const double cosine : cosines) {
      const Complex miss = reflection(y, cosine) - reflection(point.y, cosine);
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

// Of branches at a frequency, in tolerances.
double misfit_at(const GoalPoint& point, const std::vector<Branch>& branches) {
  const Complex y = admittance(branches, point.frequency);
  return point.weight *
         std::max(std::abs(reflection(y, 1.0) - reflection(point.y, 1.0)) / tolerance_of_reflection(point.y),
                  std::abs(random_incidence_absorption(y) - point.absorption) / point.tolerance);
}

struct Worst {
  std::size_t at = 0;
  double misfit = -1.0;
  double mean = 0.0;  // square root of the mean square
};

Worst worst_of(const Goal& goal, const std::vector<Branch>& branches) {
  Worst worst;
  double squares = 0.0, number = 0.0;
  for (std::size_t j = 0; j < goal.points.size(); ++j) {
    if (!goal.points[j].counts) continue;
    number += 1.0;
    const double misfit = misfit_at(goal.points[j], branches);
    squares += misfit * misfit;
    if (misfit > worst.misfit) worst.misfit = misfit, worst.at = j;
  }
  worst.mean = std::sqrt(squares / std::max(number, 1.0));
  return worst;
}

// By which fits are chosen: the largest misfit while it is tolerable. Where no branches meet a law, its worst place says
// little of the rest.
double verdict(const Goal& goal, const std::vector<Branch>& branches) {
  const Worst worst = worst_of(goal, branches);
  return worst.misfit <= 1.0 ? worst.misfit : 1.0 + worst.mean;
}

Eigen::VectorXd joined(const Eigen::VectorXd& x, double mass, double resistance, double spring) {
  const auto log = [](double v) { return std::clamp(std::log(std::max(v, 1e-300)), -log_bound, log_bound); };
  return with_branch(x, log(mass), log(resistance), log(spring));
}

// Start values with one more branch: resonators of three widths where the fit is worst; the first is the whole wall.
std::vector<Eigen::VectorXd> starts(const Goal& goal, const Eigen::VectorXd& before) {
  std::vector<Eigen::VectorXd> result;
  const auto impedance = [&](std::size_t j) {
    const Complex y = goal.points[j].y;
    return 1.0 / (std::abs(y) < 1e-9 ? Complex(1e-9) : y);
  };
  const auto omega_at = [&](std::size_t j) { return 2.0 * std::numbers::pi * goal.points[j].frequency / goal.omega0; };
  if (before.size() == 0) {
    const Complex z = impedance(0);
    std::size_t turn = 0;  // where the reactance becomes that of a mass
    while (turn + 1 < goal.points.size() && impedance(turn).imag() < 0.0) ++turn;
    const double spring = std::max(-z.imag() * omega_at(0), 1e-6);
    const double resistance = std::max(impedance(turn).real(), 1e-6);
    result.push_back(joined({}, spring / (omega_at(turn) * omega_at(turn)), resistance, spring));
    result.push_back(joined({}, 1e-6, resistance, 1e-6));
  }
  const std::vector<Branch> branches = branches_of(before, goal.omega0);
  const std::size_t at = worst_of(goal, branches).at;
  const Complex missing = goal.points[at].y - admittance(branches, goal.points[at].frequency);
  const double resistance = 1.0 / std::max(std::abs(missing), 1e-4);
  for (const double q : {0.3, 1.0, 5.0})
    result.push_back(joined(before, q * resistance / omega_at(at), resistance, q * resistance * omega_at(at)));
  return result;
}

// Evenly spread over log frequency, low and high among them.
std::vector<double> spread(double low, double high, double an_octave) {
  std::vector<double> all;
  const auto count = static_cast<int>(std::max(1.0, std::ceil(an_octave * std::log2(high / low) - 1e-9)));
  for (int i = 0; i <= count; ++i) all.push_back(low * std::pow(high / low, static_cast<double>(i) / count));
  return all;
}

struct Range {
  double low, high;  // Hz
  bool holds(double frequency) const { return frequency >= low * (1.0 - 1e-9) && frequency <= high * (1.0 + 1e-9); }
};

double highest_fitted(double max_frequency, double above) {
  return std::max(above * max_frequency, 2.0 * lowest_of_fits);
}

// The range of frequencies that a law states, up to the highest of a fit; empty (low > high) if all lie above.
Range stated(const MaterialLaw& law, double max_frequency) {
  const double high = highest_fitted(max_frequency, above_highest);
  if (law.kind() != Material::Kind::impedance) return {lowest_of_fits, high};
  const auto& f = law.table().frequencies;
  return {f.front(), std::min(f.back(), high)};
}

Goal goal_of(const MaterialLaw& law, double max_frequency, const Range& range) {
  Goal goal;
  double density = points_of_models;
  goal.max_sharpness = sharpest_model;
  if (law.kind() == Material::Kind::impedance) {
    const auto& f = law.table().frequencies;
    const double apart = f.size() > 1 ? std::log2(f.back() / f.front()) / static_cast<double>(f.size() - 1) : 1.0;
    density = std::clamp(2.0 / apart, points_of_models, max_points);
    goal.max_sharpness = std::clamp(1.0 / (narrowest * std::numbers::ln2 * apart), 1.0, 50.0);
  }
  const double low = std::min(lowest_of_fits, range.low), high = highest_fitted(max_frequency, above_highest);
  if (range.low <= range.high)
    for (const double f : spread(range.low, range.high, density)) goal.points.push_back(point_of(law, f, 1.0, true));
  // Outside the stated range points are fewer and do not count; a table above the run's frequencies has no others.
  const bool alone = goal.points.empty();
  const double weight = (alone ? 1.0 : outside_weight) * std::sqrt(density / points_outside);
  for (const double f : spread(low, high, points_outside))
    if (!range.holds(f)) goal.points.push_back(point_of(law, f, weight, alone));
  std::ranges::sort(goal.points, {}, &GoalPoint::frequency);
  set_range(goal, low, high);
  return goal;
}

ResonatorSearch search_of(const Goal& goal) {
  ResonatorSearch how;
  how.residuals = static_cast<int>(rows_a_point) * static_cast<int>(goal.points.size());
  how.evaluate = [&goal](const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd* j) { evaluate(goal, x, r, j); };
  how.omega0 = goal.omega0;
  how.log_bound = log_bound;
  how.log_reach = goal.reach;
  how.max_sharpness = goal.max_sharpness;
  how.max_branches = max_branches;
  how.starts = [&goal](int, const Eigen::VectorXd& before) { return starts(goal, before); };
  how.misfit = [&goal](const std::vector<Branch>& branches) { return verdict(goal, branches); };
  how.enough = good_enough;
  how.enough_of_many = tolerated;
  how.gain = 0.95;
  return how;
}

// How much a law may change that loses branches: of the real part of its admittance, and of the imaginary part over the
// modulus, by which absorption changes less.
constexpr double max_change = 0.015, imaginary_weight = 0.3;

Goal goal_of_branches(const std::vector<Branch>& law, double max_frequency) {
  Goal goal;
  constexpr double points = 5.0;
  const double high = highest_fitted(max_frequency, std::numbers::sqrt2);  // the octave around it is whole
  for (const double f : spread(lowest_of_fits, high, points)) goal.points.push_back({f, admittance(law, f)});
  set_range(goal, lowest_of_fits, high);
  return goal;
}

double change(const Goal& goal, const std::vector<Branch>& branches) {
  double worst = 0.0;
  for (const GoalPoint& point : goal.points) {
    const Complex y = admittance(branches, point.frequency);
    const double by_real = std::log(std::max(y.real(), 1e-12) / std::max(point.y.real(), 1e-12));
    worst = std::max(
        {worst, std::abs(by_real), imaginary_weight * std::abs(y.imag() - point.y.imag()) / std::abs(point.y)});
  }
  return worst;
}

}  // namespace

std::vector<Branch> branches_within(const std::vector<Branch>& law, double max_frequency) {
  const auto lossy = [](const Branch& b) { return b.D >= 0.0 && b.E > 0.0 && b.F >= 0.0; };
  if (!std::ranges::all_of(law, lossy)) return law;
  const Goal goal = goal_of_branches(law, max_frequency);
  LeastSquaresProblem problem;
  problem.residuals = 2 * static_cast<int>(goal.points.size());
  problem.evaluate = [&](const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd* jacobian) {
    Eigen::VectorXcd slope(x.size());
    const Eigen::VectorXd values = exponentials(x);
    for (std::size_t j = 0; j < goal.points.size(); ++j) {
      const GoalPoint& point = goal.points[j];
      const Complex y = admittance(values, Complex(0.0, 2.0 * std::numbers::pi * point.frequency / goal.omega0), slope);
      const auto row = static_cast<Eigen::Index>(2 * j);
      const double scale = imaginary_weight / std::abs(point.y);
      r[row] = std::log(y.real() / point.y.real());
      r[row + 1] = scale * (y.imag() - point.y.imag());
      if (jacobian == nullptr) continue;
      jacobian->row(row) = slope.real().transpose() / y.real();
      jacobian->row(row + 1) = scale * slope.imag().transpose();
    }
  };
  std::vector<Branch> branches = law;
  while (branches.size() > 1) {
    std::vector<Branch> best;
    double least = max_change;
    for (std::size_t i = 0; i < branches.size(); ++i) {
      Eigen::VectorXd x(0);
      for (std::size_t j = 0; j < branches.size(); ++j) {
        if (j == i) continue;
        const Branch& b = branches[j];
        const double D = b.D * goal.omega0, F = b.F / goal.omega0, floor = 1e-3 * (D + b.E + F);
        x = joined(x, std::max(D, floor), b.E, std::max(F, floor));
      }
      problem.lower = Eigen::VectorXd::Constant(x.size(), -2.0 * log_bound);
      problem.upper = -problem.lower;
      const std::vector<Branch> fewer = branches_of(minimise(problem, x, 60).x, goal.omega0);
      if (const double changed = change(goal, fewer); changed < least) {
        least = changed;
        best = fewer;
      }
    }
    if (best.empty()) break;
    branches = best;
  }
  const double limit = std::max(1.05 * change(goal, branches), 0.002);
  prune(branches, [&](const std::vector<Branch>& fewer) { return !fewer.empty() && change(goal, fewer) <= limit; });
  return branches;
}

AdmittanceFit fit_admittance(const MaterialLaw& law, double max_frequency) {
  const Range range = stated(law, max_frequency);
  const Goal goal = goal_of(law, max_frequency, range);
  AdmittanceFit best;
  best.branches = search(search_of(goal)).branches;
  const double limit = std::max(good_enough, 1.02 * verdict(goal, best.branches));
  prune(best.branches, [&](const std::vector<Branch>& branches) { return verdict(goal, branches) <= limit; });
  // A table whose lines all lie above the run's frequencies is judged at its lowest.
  std::vector<double> judged = {range.low};
  const double highest = std::max(range.low, std::min(range.high, max_frequency));
  if (range.low < highest) {
    judged = spread(range.low, highest, judged_points);
    if (law.kind() == Material::Kind::impedance)
      for (const double f : law.table().frequencies)
        if (range.holds(f) && f <= highest) judged.push_back(f);
    std::ranges::sort(judged);
  }
  best.met = true;
  for (const double f : judged) {
    const Complex y = law.admittance(f);
    const double miss = std::abs(reflection(admittance(best.branches, f), 1.0) - reflection(y, 1.0));
    if (miss > tolerance_of_reflection(y)) best.met = false;
    if (miss <= best.worst) continue;
    best.worst = miss;
    best.worst_frequency = f;
  }
  if (range.low < highest) judged = spread(range.low, highest, plotted_points);
  best.frequencies = judged;
  return best;
}

}  // namespace fdtd
