#include "engine/adjoint/moving_laws.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <stdexcept>

#include "base/math/least_squares.hpp"
#include "engine/walls/fit_problem.hpp"

namespace fdtd {
namespace {

using Complex = std::complex<double>;

constexpr double of_reflection = 0.3;  // weight against absorption, as in the plan's fit
constexpr double pull = 0.4;           // of a stage towards the one before, by logarithms of coefficients
constexpr std::size_t stages = 6;
constexpr double difference = 1e-5;  // of a material's coefficients, relative
constexpr int rows_a_wave = 3;

bool same_coefficients(const WallLaw& a, const WallLaw& b) {
  return a.inertance == b.inertance && a.taps == b.taps &&
         std::ranges::equal(a.branches, b.branches, [](const LawBranch& one, const LawBranch& other) {
           return one.D == other.D && one.E == other.E && one.F == other.F;
         });
}

// The coefficients of a law that are above 0, in the order D, E, F of each branch, then the inertance.
template <class Law, class Function>
void each_coefficient_of(Law& law, const Function& function) {
  for (auto& branch : law.branches)
    for (auto* const value : {&branch.D, &branch.E, &branch.F})
      if (*value > 0.0) function(*value);
  if (law.inertance > 0.0) function(law.inertance);
}

std::vector<double> logarithms_of(const WallLaw& law) {
  std::vector<double> logs;
  each_coefficient_of(law, [&](double value) { logs.push_back(std::log(value)); });
  return logs;
}

WallLaw with_logarithms(WallLaw law, const std::vector<double>& logs) {
  auto next = logs.begin();
  each_coefficient_of(law, [&](double& value) { value = std::exp(*next++); });
  return law;
}

// Misses of a law's waves, and their derivatives by the logarithms of its coefficients.
void misses(const WallLaw& law, const std::vector<Aim>& aims, const std::vector<double>& weights, Eigen::VectorXd& r,
            Eigen::MatrixXd& jacobian) {
  for (std::size_t i = 0; i < aims.size(); ++i) {
    const Aim& aim = aims[i];
    Complex y = 0.0;
    for (const LawBranch& b : law.branches) y += 1.0 / (b.D * aim.s + b.E + b.F / aim.s);
    const Complex z = law.inertance * aim.s + 1.0 / y, sum = z + aim.load;
    const auto row = static_cast<Eigen::Index>(i) * rows_a_wave;
    const Complex miss = 1.0 - 2.0 * aim.load.real() / sum - aim.reflection;
    r[row] = weights[i] * log_ratio(aim, z);
    r[row + 1] = weights[i] * of_reflection * miss.real();
    r[row + 2] = weights[i] * of_reflection * miss.imag();
    Eigen::Index column = 0;
    const auto moved = [&](Complex dz) {
      const Complex reflected = 2.0 * aim.load.real() / (sum * sum) * dz;
      jacobian(row, column) = weights[i] * (dz.real() / z.real() - 2.0 * (std::conj(sum) * dz).real() / std::norm(sum));
      jacobian(row + 1, column) = weights[i] * of_reflection * reflected.real();
      jacobian(row + 2, column++) = weights[i] * of_reflection * reflected.imag();
    };
    for (const LawBranch& b : law.branches) {
      const Complex one = 1.0 / (b.D * aim.s + b.E + b.F / aim.s), by = one * one / (y * y);  // dz / d(1 / one)
      if (b.D > 0.0) moved(by * b.D * aim.s);
      if (b.E > 0.0) moved(by * b.E);
      if (b.F > 0.0) moved(by * b.F / aim.s);
    }
    if (law.inertance > 0.0) moved(law.inertance * aim.s);
  }
}

// Second derivatives of half the sum of squares by the logarithms of a law's coefficients, by differences of the first.
Eigen::MatrixXd hessian_of(const WallLaw& law, const std::vector<double>& logs, const std::vector<Aim>& aims,
                           const std::vector<double>& weights) {
  const auto rows = static_cast<Eigen::Index>(aims.size()) * rows_a_wave;
  const auto columns = static_cast<Eigen::Index>(logs.size());
  const auto slope = [&](std::size_t moved, double by) {
    std::vector<double> at = logs;
    at[moved] += by;
    Eigen::VectorXd r(rows);
    Eigen::MatrixXd jacobian(rows, columns);
    misses(with_logarithms(law, at), aims, weights, r, jacobian);
    return Eigen::VectorXd(jacobian.transpose() * r);
  };
  Eigen::MatrixXd hessian(columns, columns);
  for (std::size_t j = 0; j < logs.size(); ++j)
    hessian.col(static_cast<Eigen::Index>(j)) = (slope(j, difference) - slope(j, -difference)) / (2.0 * difference);
  hessian = 0.5 * (hessian + hessian.transpose()).eval();
  hessian.diagonal().array() += pull * pull;
  return hessian;
}

// Derivatives of the misses by the logarithm of one coefficient of the material, `up` and `down` by `difference`.
Eigen::VectorXd by_material(const std::vector<Aim>& up, const std::vector<Aim>& down,
                            const std::vector<double>& weights) {
  Eigen::VectorXd by(static_cast<Eigen::Index>(up.size()) * rows_a_wave);
  for (std::size_t i = 0; i < up.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i) * rows_a_wave;
    const Complex reflection = up[i].reflection - down[i].reflection;
    by[row] = -weights[i] * std::log(up[i].absorption / down[i].absorption);
    by[row + 1] = -weights[i] * of_reflection * reflection.real();
    by[row + 2] = -weights[i] * of_reflection * reflection.imag();
  }
  return by / (2.0 * difference);
}

// From where the cost stalls to where its slope is 0, by Newton's steps while they lead there.
template <class Hessian>
Eigen::VectorXd to_rest(const LeastSquaresProblem& problem, Eigen::VectorXd x, const Hessian& hessian_at) {
  Eigen::VectorXd r(problem.residuals);
  Eigen::MatrixXd jacobian(problem.residuals, x.size());
  const auto slope_at = [&](const Eigen::VectorXd& at) {
    problem.evaluate(at, r, &jacobian);
    return Eigen::VectorXd(jacobian.transpose() * r);
  };
  Eigen::VectorXd slope = slope_at(x);
  for (int step = 0; step < 8 && slope.norm() > 1e-11; ++step) {
    const Eigen::LDLT<Eigen::MatrixXd> hessian(hessian_at(x));
    if (!hessian.isPositive()) break;
    const Eigen::VectorXd next = (x - hessian.solve(slope)).cwiseMax(problem.lower).cwiseMin(problem.upper);
    const Eigen::VectorXd there = slope_at(next);
    if (!(there.norm() < slope.norm())) break;
    x = next, slope = there;
  }
  return x;
}

double& coefficient(Branch& branch, std::size_t which) {
  return which == 0 ? branch.D : which == 1 ? branch.E : branch.F;
}

}  // namespace

MovingLaws::MovingLaws(std::vector<WallLaw> laws, std::vector<Branch> branches, const LawSetting& setting)
    : laws_(std::move(laws)), branches_(std::move(branches)), time_step_(setting.time_step) {
  const double highest = 2.0 * std::numbers::pi * setting.highest * setting.time_step;
  for (std::size_t i = 0; i < laws_.size(); ++i) {
    const WallLaw& law = laws_[i];
    const auto same = std::ranges::find_if(
        groups_, [&](const Group& group) { return same_coefficients(laws_[group.members.front()], law); });
    if (same != groups_.end()) {
      same->members.push_back(i);
      continue;
    }
    Group group{{i}, wall_waves(setting.stencil, law.axis, setting.map, highest), {}, {}};
    if (law.taps.size() > 1)
      load_waves(group.waves, setting.stencil, law.axis, law.taps);
    else
      load_waves_at_wall(group.waves, setting.stencil.courant[static_cast<std::size_t>(law.axis)]);
    if (group.waves.empty()) throw std::invalid_argument("MovingLaws: no wave meets a wall");
    for (const Aim& aim : aims_of(branches_, time_step_, group.waves)) group.weights.push_back(aim.weight);
    group.start = fitted(group, branches_, logarithms_of(law)).back();
    groups_.push_back(std::move(group));
  }
}

auto MovingLaws::fitted(const Group& group, std::span<const Branch> branches, std::vector<double> from) const
    -> Stages {
  const WallLaw& own = laws_[group.members.front()];
  const std::vector<Aim> aims = aims_of(branches, time_step_, group.waves);
  const auto rows = static_cast<Eigen::Index>(aims.size()) * rows_a_wave;
  const auto columns = static_cast<Eigen::Index>(from.size());
  Eigen::VectorXd x = Eigen::Map<const Eigen::VectorXd>(from.data(), columns), centre = x;
  LeastSquaresProblem problem;
  problem.residuals = static_cast<int>(rows + columns);
  problem.upper = Eigen::VectorXd::Constant(columns, 2.0 * log_bound);  // f32 holds their squares
  problem.lower = -problem.upper;
  problem.evaluate = [&](const Eigen::VectorXd& at, Eigen::VectorXd& r, Eigen::MatrixXd* jacobian) {
    Eigen::VectorXd of_waves(rows);
    Eigen::MatrixXd by(rows, columns);
    misses(with_logarithms(own, {at.begin(), at.end()}), aims, group.weights, of_waves, by);
    r.head(rows) = of_waves;
    r.tail(columns) = pull * (at - centre);
    if (jacobian == nullptr) return;
    jacobian->topRows(rows) = by;
    jacobian->bottomRows(columns) = pull * Eigen::MatrixXd::Identity(columns, columns);
  };
  Stages found;
  for (std::size_t stage = 0; stage < stages; ++stage) {
    x = to_rest(problem, minimise(problem, x, 100).x, [&](const Eigen::VectorXd& at) {
      return hessian_of(own, {at.begin(), at.end()}, aims, group.weights);
    });
    found.emplace_back(x.begin(), x.end());
    centre = x;
  }
  return found;
}

MovingLaws::Place MovingLaws::at(std::vector<Branch> branches) const {
  if (branches.size() != branches_.size()) throw std::invalid_argument("MovingLaws: another number of branches");
  Place place{std::move(branches), {}};
  for (const Group& group : groups_)
    place.stages.push_back(fitted(group, place.branches, logarithms_of(laws_[group.members.front()])));
  return place;
}

std::vector<WallLaw> MovingLaws::laws(const Place& place) const {
  std::vector<WallLaw> moved = laws_;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    std::vector<double> logs = logarithms_of(laws_[group.members.front()]);
    for (std::size_t i = 0; i < logs.size(); ++i) logs[i] += place.stages[g].back()[i] - group.start[i];
    for (const std::size_t member : group.members) moved[member] = with_logarithms(laws_[member], logs);
  }
  return moved;
}

// Of the derivatives by the logarithms of the laws' coefficients, which move as those of the fit do.
std::vector<double> MovingLaws::by_logarithms(const Group& group, const std::vector<double>& now,
                                              std::span<const LawSlopes> by_laws) const {
  const WallLaw& own = laws_[group.members.front()];
  std::vector<double> by(now.size(), 0.0);
  for (const std::size_t member : group.members) {
    std::size_t i = 0;
    const LawSlopes& slope = by_laws[member];
    const auto add = [&](double base, double by_value) {
      if (base <= 0.0) return;
      by[i] += by_value * base * std::exp(now[i] - group.start[i]);
      ++i;
    };
    for (std::size_t b = 0; b < own.branches.size(); ++b) {
      add(own.branches[b].D, slope.branches[b].D);
      add(own.branches[b].E, slope.branches[b].E);
      add(own.branches[b].F, slope.branches[b].F);
    }
    add(own.inertance, slope.inertance);
  }
  return by;
}

std::vector<double> MovingLaws::slopes(const Place& place, std::span<const LawSlopes> by_laws) const {
  std::vector<double> result(3 * place.branches.size(), 0.0);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    const WallLaw& own = laws_[group.members.front()];
    const std::vector<double> first = by_logarithms(group, place.stages[g].back(), by_laws);
    Eigen::VectorXd by = Eigen::Map<const Eigen::VectorXd>(first.data(), static_cast<Eigen::Index>(first.size()));
    const std::vector<Aim> aims = aims_of(place.branches, time_step_, group.waves);
    const auto rows = static_cast<Eigen::Index>(aims.size()) * rows_a_wave;
    Eigen::VectorXd r(rows), by_misses = Eigen::VectorXd::Zero(rows);
    Eigen::MatrixXd jacobian(rows, by.size());
    for (std::size_t stage = stages; stage-- > 0;) {  // each depends on the one before by its pull
      const std::vector<double>& now = place.stages[g][stage];
      misses(with_logarithms(own, now), aims, group.weights, r, jacobian);
      const Eigen::VectorXd answer = hessian_of(own, now, aims, group.weights).ldlt().solve(by);
      by_misses -= jacobian * answer;
      by = pull * pull * answer;
    }
    for (std::size_t i = 0; i < result.size(); ++i) {
      std::vector<Branch> up = place.branches, down = up;
      coefficient(up[i / 3], i % 3) *= 1.0 + difference;
      coefficient(down[i / 3], i % 3) *= 1.0 - difference;
      result[i] += by_misses.dot(
          by_material(aims_of(up, time_step_, group.waves), aims_of(down, time_step_, group.waves), group.weights));
    }
  }
  return result;
}

}  // namespace fdtd
