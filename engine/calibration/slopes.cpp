#include "engine/calibration/slopes.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <limits>

namespace fdtd {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double relative_error = 0.5, least_error = 0.1;  // of a stated entry, and in lengths of its row
constexpr double least_scale = 0.3;                        // of the mean length of rows
constexpr double without_statement = 5.0;                  // length of a row, where all are stated as zero
constexpr double curvature = 0.15;                         // of secants, in lengths of the row
constexpr double roughnesses[] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.4};
constexpr double doubts[] = {1.0, 4.0, 16.0};  // factors of the variance of what was stated
constexpr double other_grid = 0.05;            // part of the first variance

double squared(double value) { return value * value; }

// Symmetric ones, whose order of rows and columns does not matter.
Eigen::Map<const MatrixXd> square(const std::vector<double>& values, Index n) { return {values.data(), n, n}; }

std::vector<double> values_of(const MatrixXd& matrix) { return {matrix.data(), matrix.data() + matrix.size()}; }

MatrixXd steps_of(const std::vector<Secant>& secants, Index unknowns) {
  MatrixXd steps(unknowns, static_cast<Index>(secants.size()));
  for (std::size_t k = 0; k < secants.size(); ++k)
    for (Index j = 0; j < unknowns; ++j) steps(j, static_cast<Index>(k)) = secants[k].step[static_cast<std::size_t>(j)];
  return steps;
}

// Covariance of what the secants show, in squares of the row's length.
MatrixXd seen_covariance(const MatrixXd& P0, const MatrixXd& S, double roughness) {
  // The best run, from which all steps begin, is as rough as the others.
  MatrixXd seen = S.transpose() * P0 * S + MatrixXd::Constant(S.cols(), S.cols(), 0.5 * squared(roughness));
  for (Index k = 0; k < S.cols(); ++k)
    seen(k, k) += squared(curvature * S.col(k).squaredNorm()) + 0.5 * squared(roughness);
  return seen;
}

MatrixXd gain(const MatrixXd& P0, const MatrixXd& S, double roughness) {
  return seen_covariance(P0, S, roughness).ldlt().solve(S.transpose() * P0).transpose();
}

}  // namespace

UncertainSlopes::UncertainSlopes(std::vector<double> stated, std::size_t unknowns)
    : unknowns_(unknowns), stated_(std::move(stated)), mean_(stated_) {
  const auto n = static_cast<Index>(unknowns);
  const std::size_t figures = unknowns == 0 ? 0 : stated_.size() / unknowns;
  VectorXd columns = VectorXd::Zero(n);
  double all = 0.0;
  for (std::size_t i = 0; i < figures; ++i) {
    double sum = 0.0;
    for (std::size_t j = 0; j < unknowns; ++j) {
      sum += squared(stated_[i * unknowns + j]);
      columns[static_cast<Index>(j)] += squared(stated_[i * unknowns + j]);
    }
    scale_.push_back(std::sqrt(sum));
    all += std::sqrt(sum) / static_cast<double>(figures);
  }
  for (double& scale : scale_) scale = all > 0.0 ? std::max(scale, least_scale * all) : without_statement;
  const double length = std::sqrt(columns.sum());
  VectorXd first = VectorXd::Constant(n, least_error);
  if (length > 0.0) first += relative_error * columns.cwiseSqrt() / length;
  first_.assign(first.data(), first.data() + n);
  stated_covariance_ = values_of(first.cwiseAbs2().asDiagonal());
  covariance_ = stated_covariance_;
}

// Of the secants in which the figure is there: their steps, and how they differ from what was stated.
struct UncertainSlopes::Row {
  MatrixXd steps;
  VectorXd errors;
};

UncertainSlopes::Row UncertainSlopes::row_of(const std::vector<Secant>& secants, std::size_t figure) const {
  std::vector<Secant> given;
  for (const Secant& one : secants)
    if (std::isfinite(one.change[figure])) given.push_back(one);
  const auto n = static_cast<Index>(unknowns_);
  Row row{steps_of(given, n), VectorXd(static_cast<Index>(given.size()))};
  const auto stated = Eigen::Map<const VectorXd>(&stated_[figure * unknowns_], n);
  for (Index k = 0; k < row.errors.size(); ++k)
    row.errors[k] = given[static_cast<std::size_t>(k)].change[figure] - stated.dot(row.steps.col(k));
  return row;
}

double UncertainSlopes::log_likelihood(const std::vector<Secant>& secants, const Noise& noise) const {
  const MatrixXd P0 = noise.doubt * square(stated_covariance_, static_cast<Index>(unknowns_));
  double sum = 0.0;
  for (std::size_t i = 0; i < scale_.size(); ++i) {
    const Row row = row_of(secants, i);
    if (row.errors.size() == 0) continue;
    const Eigen::LLT<MatrixXd> seen(seen_covariance(P0, row.steps, noise.roughness));
    sum -= 0.5 * row.errors.dot(seen.solve(row.errors)) / squared(scale_[i]) +
           MatrixXd(seen.matrixL()).diagonal().array().log().sum();
  }
  return sum;
}

// The likeliest. One secant does not tell a slope that is wrong from a figure that is not smooth.
UncertainSlopes::Noise UncertainSlopes::noise_of(const std::vector<Secant>& secants) const {
  Noise best;
  double most = -std::numeric_limits<double>::infinity();
  for (const double roughness : roughnesses)
    for (const double doubt : doubts) {
      if (secants.size() < 2 && roughness != roughnesses[0]) continue;
      const double likelihood = log_likelihood(secants, {roughness, doubt});
      if (likelihood > most) most = likelihood, best = {roughness, doubt};
    }
  return best;
}

void UncertainSlopes::observe(const std::vector<Secant>& secants) {
  const auto n = static_cast<Index>(unknowns_);
  mean_ = stated_;
  covariance_ = stated_covariance_;
  if (secants.empty() || n == 0) return;
  const Noise noise = noise_of(secants);
  roughness_ = noise.roughness;
  const MatrixXd P0 = noise.doubt * square(stated_covariance_, n), all = steps_of(secants, n);
  const MatrixXd P = P0 - gain(P0, all, roughness_) * all.transpose() * P0;
  covariance_ = values_of(0.5 * (P + P.transpose()));
  for (std::size_t i = 0; i < scale_.size(); ++i) {
    const Row row = row_of(secants, i);
    if (row.errors.size() > 0)
      Eigen::Map<VectorXd>(&mean_[i * unknowns_], n) += gain(P0, row.steps, roughness_) * row.errors;
  }
}

UncertainSlopes UncertainSlopes::carried() const {
  UncertainSlopes next = *this;
  next.stated_ = mean_;
  next.stated_covariance_ = covariance_;
  for (std::size_t j = 0; j < unknowns_; ++j)
    next.stated_covariance_[j * unknowns_ + j] += other_grid * squared(first_[j]);
  next.covariance_ = next.stated_covariance_;
  return next;
}

UncertainSlopes::LeastKnown UncertainSlopes::least_known() const {
  const auto n = static_cast<Index>(unknowns_);
  const VectorXd inverse = Eigen::Map<const VectorXd>(first_.data(), n).cwiseInverse();
  const Eigen::SelfAdjointEigenSolver<MatrixXd> found(inverse.asDiagonal() * square(covariance_, n) *
                                                      inverse.asDiagonal());
  const VectorXd direction = (inverse.asDiagonal() * found.eigenvectors().col(n - 1)).normalized();
  return {{direction.data(), direction.data() + n}, found.eigenvalues()[n - 1]};
}

}  // namespace fdtd
