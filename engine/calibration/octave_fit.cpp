#include "engine/calibration/octave_fit.hpp"

#include <Eigen/Dense>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "engine/calibration/bounded_quadratic.hpp"

namespace fdtd {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double widest_reach = 2.0, least_reach = 0.05;
constexpr double shorter = 0.4, longer = 1.5;  // factors of the reach after a run that was worse, or better
constexpr double least_change = 1e-3;          // of x: below, the difference of two runs says nothing of the Jacobian
constexpr std::size_t few_unknowns = 3;        // of which each direction is probed
constexpr double unprobed = 0.3;               // part of the variance of slopes that is left
constexpr double far_aside = 0.4;              // change of x
constexpr double doubt = 1.5;                  // variances of slopes by which what they say counts less
constexpr double worth_a_run = 0.1;            // mean change of the figures, in their standard deviations

double squared(double value) { return value * value; }

// In spreads from the prior: z = (x - p) / q.
VectorXd in_spreads(const OctaveData& data, const std::vector<double>& x) {
  VectorXd z(static_cast<Index>(x.size()));
  for (std::size_t j = 0; j < x.size(); ++j) z[static_cast<Index>(j)] = (x[j] - data.prior[j]) / data.spread[j];
  return z;
}

// The inverse of the prior's covariance of z, by the formula of Sherman and Morrison.
MatrixXd prior_form(const OctaveData& data) {
  const auto n = static_cast<Index>(data.spread.size());
  MatrixXd form = MatrixXd::Identity(n, n);
  double sum = 1.0;
  for (const double spread : data.spread) sum += squared(data.common / spread);
  for (Index j = 0; j < n; ++j)
    for (Index l = 0; l < n; ++l)
      form(j, l) -= squared(data.common) /
                    (data.spread[static_cast<std::size_t>(j)] * data.spread[static_cast<std::size_t>(l)] * sum);
  return form;
}

}  // namespace

OctaveFit::OctaveFit(OctaveData data, UncertainSlopes slopes, std::size_t most_runs)
    : data_(std::move(data)), slopes_(std::move(slopes)), most_runs_(most_runs) {
  const std::size_t n = data_.prior.size();
  if (data_.spread.size() != n || data_.lower.size() != n || data_.upper.size() != n ||
      data_.deviation.size() != data_.measured.size() || jacobian().size() != n * data_.measured.size())
    throw std::invalid_argument("a fit needs a prior, bounds and a Jacobian of one size");
}

bool OctaveFit::used(std::size_t figure) const { return !runs_.empty() && std::isfinite(runs_[best_].figures[figure]); }

std::size_t OctaveFit::figures_used() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < data_.measured.size(); ++i) count += used(i) ? 1 : 0;
  return count;
}

double OctaveFit::misfit(const std::vector<double>& figures) const {
  double sum = 0.0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (!std::isfinite(figures[i])) continue;
    sum += squared((figures[i] - data_.measured[i]) / data_.deviation[i]);
    ++count;
  }
  return count == 0 ? std::numeric_limits<double>::infinity()
                    : sum * static_cast<double>(figures.size()) / static_cast<double>(count);
}

double OctaveFit::distance(const std::vector<double>& x) const {
  const VectorXd z = in_spreads(data_, x);
  return z.dot(prior_form(data_) * z);
}

double OctaveFit::objective(std::size_t run) const {
  return misfit(runs_[run].figures) / excess_ + distance(runs_[run].x);
}

std::vector<double> OctaveFit::predicted(const std::vector<double>& x) const {
  const Run& from = runs_[best_];
  std::vector<double> figures = from.figures;
  for (std::size_t i = 0; i < figures.size(); ++i)
    for (std::size_t j = 0; j < x.size(); ++j) figures[i] += jacobian()[i * x.size() + j] * (x[j] - from.x[j]);
  return figures;
}

void OctaveFit::correct_slopes() {
  std::vector<Secant> secants;
  const Run& from = runs_[best_];
  for (const Run& to : runs_) {
    Secant one{to.x, to.figures};
    double largest = 0.0;
    for (std::size_t j = 0; j < one.step.size(); ++j) largest = std::max(largest, std::abs(one.step[j] -= from.x[j]));
    for (std::size_t i = 0; i < one.change.size(); ++i) one.change[i] -= from.figures[i];
    if (largest >= least_change) secants.push_back(std::move(one));
  }
  slopes_.observe(secants);
}

void OctaveFit::choose_best() {
  best_ = 0;
  for (std::size_t run = 1; run < runs_.size(); ++run)
    if (objective(run) < objective(best_)) best_ = run;
}

void OctaveFit::add_run(std::span<const double> x, std::span<const double> figures) {
  if (x.size() != unknowns() || figures.size() != data_.measured.size())
    throw std::invalid_argument("a run needs a value of each unknown and each figure");
  runs_.push_back({{x.begin(), x.end()}, {figures.begin(), figures.end()}});
  const std::size_t latest = runs_.size() - 1, before = best_;
  choose_best();
  correct_slopes();
  excess_ = excess();
  choose_best();
  correct_slopes();
  if (latest == 0) return;
  double step = 0.0;
  for (std::size_t j = 0; j < x.size(); ++j) step = std::max(step, std::abs(x[j] - runs_[before].x[j]));
  reach_ = best_ == latest ? std::min(widest_reach, std::max(reach_, step * longer))
                           : std::max(least_reach, std::min(reach_, step) * shorter);
}

std::vector<double> OctaveFit::minimum(double reach, double excess) const {
  const auto n = static_cast<Index>(unknowns());
  const Run& from = runs_[best_];
  MatrixXd H = prior_form(data_);
  VectorXd g = VectorXd::Zero(n), low(n), high(n);
  for (std::size_t i = 0; i < data_.measured.size(); ++i) {
    if (!used(i)) continue;
    VectorXd row(n);
    double aim = data_.measured[i] - from.figures[i];
    for (Index j = 0; j < n; ++j) {
      const auto at = static_cast<std::size_t>(j);
      const double slope = jacobian()[i * unknowns() + at];
      row[j] = slope * data_.spread[at];
      aim += slope * (from.x[at] - data_.prior[at]);
    }
    const double weight = 1.0 / (squared(data_.deviation[i]) * excess);
    H += weight * row * row.transpose();
    g += weight * aim * row;
  }
  for (Index j = 0; j < n; ++j) {
    const auto at = static_cast<std::size_t>(j);
    const double lower = std::min(std::max(data_.lower[at], from.x[at] - reach), data_.upper[at]);
    const double upper = std::max(std::min(data_.upper[at], from.x[at] + reach), lower);
    low[j] = (lower - data_.prior[at]) / data_.spread[at];
    high[j] = (upper - data_.prior[at]) / data_.spread[at];
  }
  const VectorXd z = bounded_minimum(H, g, low, high);
  std::vector<double> x(unknowns());
  for (std::size_t j = 0; j < x.size(); ++j) x[j] = data_.prior[j] + z[static_cast<Index>(j)] * data_.spread[j];
  return x;
}

double OctaveFit::excess() const {
  if (runs_.empty()) return 1.0;
  const double freedom = static_cast<double>(figures_used()) - static_cast<double>(unknowns());
  constexpr double without_limit = 1e3;
  if (figures_used() == 0) return 1.0;
  return std::max(1.0, static_cast<double>(figures_used()) / static_cast<double>(data_.measured.size()) *
                           misfit(predicted(minimum(without_limit, 1.0))) / std::max(freedom, 1.0));
}

bool OctaveFit::explores() const {
  return unknowns() <= few_unknowns && runs_.size() >= 2 && runs_.size() <= unknowns() &&
         runs_.size() + 2 <= most_runs_ && figures_used() > 0 && slopes_.least_known().left > unprobed;
}

// Towards the prior, as far as there is a choice.
std::vector<double> OctaveFit::aside(std::vector<double> x) const {
  const std::vector<double> direction = slopes_.least_known().direction;
  const VectorXd slope = prior_form(data_) * in_spreads(data_, x);
  double away = 0.0, largest = 0.0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    away += direction[j] * slope[static_cast<Index>(j)] / data_.spread[j];
    largest = std::max(largest, std::abs(direction[j]));
  }
  const double length = (away > 0.0 ? -far_aside : far_aside) / largest;
  for (std::size_t j = 0; j < x.size(); ++j)
    x[j] = std::clamp(x[j] + length * direction[j], data_.lower[j], data_.upper[j]);
  return x;
}

std::vector<double> OctaveFit::next() const {
  if (!runs_.empty()) return explores() ? aside(minimum(reach_, excess_)) : minimum(reach_, excess_);
  std::vector<double> x = data_.prior;
  for (std::size_t j = 0; j < x.size(); ++j) x[j] = std::clamp(x[j], data_.lower[j], data_.upper[j]);
  return x;
}

bool OctaveFit::settled() const {
  if (runs_.empty()) return false;
  if (figures_used() == 0) return true;
  if (explores()) return false;
  const std::vector<double> there = predicted(next());
  double change = 0.0;
  for (std::size_t i = 0; i < data_.measured.size(); ++i)
    if (used(i)) change += squared((there[i] - runs_[best_].figures[i]) / data_.deviation[i]) / excess_;
  return change < squared(worth_a_run) * static_cast<double>(figures_used());
}

OctavePosterior OctaveFit::posterior() const {
  if (unknowns() == 0) return {{}, {}, {}, excess_};
  const auto n = static_cast<Index>(unknowns());
  const VectorXd spread = Eigen::Map<const VectorXd>(data_.spread.data(), n);
  const MatrixXd P = Eigen::Map<const MatrixXd>(slopes_.covariance().data(), n, n);
  MatrixXd M = MatrixXd::Zero(n, n);
  for (std::size_t i = 0; i < data_.measured.size(); ++i) {
    if (!used(i)) continue;
    const VectorXd row = Eigen::Map<const VectorXd>(&jacobian()[i * unknowns()], n);
    M += (row * row.transpose() - doubt * squared(slopes_.scale(i)) * P) /
         (squared(data_.deviation[i]) * excess_ + squared(slopes_.scale(i) * slopes_.roughness()));
  }
  M = (spread.asDiagonal() * M * spread.asDiagonal()).eval();
  const Eigen::SelfAdjointEigenSolver<MatrixXd> parts(M);
  const VectorXd known = parts.eigenvalues().cwiseMax(0.0);
  const MatrixXd& axes = parts.eigenvectors();
  M = axes * known.asDiagonal() * axes.transpose();
  const MatrixXd C = spread.asDiagonal() * (M + prior_form(data_)).inverse() * spread.asDiagonal();
  // A step that no run has taken is an error that is known.
  constexpr double without_limit = 1e3;
  const std::vector<double> aim = runs_.empty() ? data_.prior : minimum(without_limit, excess_);
  OctavePosterior result;
  result.excess = excess_;
  for (Index j = 0; j < n; ++j) {
    const auto at = static_cast<std::size_t>(j);
    const double left =
        runs_.empty() ? 0.0 : std::min(std::abs(aim[at] - runs_[best_].x[at]), std::hypot(spread[j], data_.common));
    result.deviation.push_back(std::hypot(std::sqrt(C(j, j)), left));
    std::vector<double>&row = result.covariance.emplace_back(), &seen = result.information.emplace_back();
    for (Index k = 0; k < n; ++k) row.push_back(C(j, k)), seen.push_back(M(j, k));
  }
  return result;
}

}  // namespace fdtd
