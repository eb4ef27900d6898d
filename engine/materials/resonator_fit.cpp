#include "engine/materials/resonator_fit.hpp"

#include <cmath>
#include <limits>

#include "base/math/quotient.hpp"

namespace fdtd {

using Complex = std::complex<double>;

std::vector<Branch> branches_of(const Eigen::VectorXd& x, double omega0) {
  std::vector<Branch> branches;
  for (Eigen::Index i = 0; i < x.size(); i += 3)
    branches.push_back({std::exp(x[i]) / omega0, std::exp(x[i + 1]), std::exp(x[i + 2]) * omega0});
  return branches;
}

Eigen::VectorXd with_branch(const Eigen::VectorXd& x, double log_D, double log_E, double log_F) {
  Eigen::VectorXd result(x.size() + 3);
  result << x, log_D, log_E, log_F;
  return result;
}

Eigen::VectorXd exponentials(const Eigen::VectorXd& x) {
  Eigen::VectorXd values(x.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) values[i] = std::exp(x[i]);
  return values;
}

Complex admittance(const Eigen::VectorXd& values, Complex s, Eigen::VectorXcd& slope) {
  Complex y = 0.0;
  for (Eigen::Index i = 0; i < values.size(); i += 3) {
    const Complex mass = values[i] * s, spring = quotient(values[i + 2], s);
    const double resistance = values[i + 1];
    const Complex branch = quotient(1.0, mass + resistance + spring);
    y += branch;
    slope[i] = -branch * branch * mass;
    slope[i + 1] = -branch * branch * resistance;
    slope[i + 2] = -branch * branch * spring;
  }
  return y;
}

Eigen::VectorXd searched(const Eigen::VectorXd& x) {
  Eigen::VectorXd p(x.size());
  for (Eigen::Index i = 0; i < x.size(); i += 3) {
    p[i] = 0.5 * (x[i + 2] - x[i]);
    p[i + 1] = x[i + 1];
    p[i + 2] = 0.5 * (x[i] + x[i + 2]) - x[i + 1];
  }
  return p;
}

Eigen::VectorXd logarithms(const Eigen::VectorXd& p) {
  Eigen::VectorXd x(p.size());
  for (Eigen::Index i = 0; i < p.size(); i += 3) {
    x[i] = p[i + 2] + p[i + 1] - p[i];
    x[i + 1] = p[i + 1];
    x[i + 2] = p[i + 2] + p[i + 1] + p[i];
  }
  return x;
}

void turn_columns(Eigen::MatrixXd& jacobian) {
  for (Eigen::Index i = 0; i < jacobian.cols(); i += 3) {
    const Eigen::VectorXd by_D = jacobian.col(i), by_F = jacobian.col(i + 2);
    jacobian.col(i) = by_F - by_D;
    jacobian.col(i + 1) += by_D + by_F;
    jacobian.col(i + 2) = by_D + by_F;
  }
}

namespace {

constexpr double min_sharpness = 1e-6;
constexpr int steps_from_a_start = 40, steps_from_the_best = 100;

}  // namespace

ResonatorFit search(const ResonatorSearch& how) {
  LeastSquaresProblem problem;
  problem.residuals = how.residuals;
  problem.stays_on_bounds = true;
  problem.evaluate = [&](const Eigen::VectorXd& p, Eigen::VectorXd& r, Eigen::MatrixXd* jacobian) {
    how.evaluate(logarithms(p), r, jacobian);
    if (jacobian != nullptr) turn_columns(*jacobian);
  };
  ResonatorFit best{{}, std::numeric_limits<double>::infinity()};
  Eigen::VectorXd before(0);
  for (int n = 1; n <= how.max_branches; ++n) {
    const Eigen::Vector3d bound(how.log_reach, how.log_bound, std::log(how.max_sharpness));
    problem.upper = bound.replicate(n, 1);
    problem.lower = -problem.upper;
    for (int i = 0; i < n; ++i) problem.lower[3 * i + 2] = std::log(min_sharpness);
    LeastSquaresResult lowest{{}, std::numeric_limits<double>::infinity()};
    for (const Eigen::VectorXd& start : how.starts(n, before)) {
      const LeastSquaresResult result = minimise(problem, searched(start), steps_from_a_start);
      if (result.cost < lowest.cost) lowest = result;
    }
    lowest = minimise(problem, lowest.x, steps_from_the_best);
    before = logarithms(lowest.x);
    const std::vector<Branch> branches = branches_of(before, how.omega0);
    const double misfit = how.misfit(branches);
    if (misfit < how.gain * best.misfit) best = {branches, misfit};
    if (best.misfit <= (n < few_branches ? how.enough : how.enough_of_many)) break;
  }
  return best;
}

void prune(std::vector<Branch>& branches, const std::function<bool(const std::vector<Branch>&)>& good) {
  for (std::size_t i = branches.size(); i-- > 0;) {
    std::vector<Branch> without = branches;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    if (good(without)) branches = without;
  }
  for (Branch& branch : branches) {
    for (double* value : {&branch.D, &branch.F}) {
      const double kept = *value;
      *value = 0.0;
      if (!good(branches)) *value = kept;
    }
  }
}

}  // namespace fdtd
