#include "engine/materials/resonator_fit.hpp"

#include <cmath>
#include <limits>

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

Complex admittance(const Eigen::VectorXd& x, Complex s, Eigen::VectorXcd& slope) {
  Complex y = 0.0;
  for (Eigen::Index i = 0; i < x.size(); i += 3) {
    const Complex mass = std::exp(x[i]) * s, spring = std::exp(x[i + 2]) / s;
    const double resistance = std::exp(x[i + 1]);
    const Complex branch = 1.0 / (mass + resistance + spring);
    y += branch;
    slope[i] = -branch * branch * mass;
    slope[i + 1] = -branch * branch * resistance;
    slope[i + 2] = -branch * branch * spring;
  }
  return y;
}

ResonatorFit search(const ResonatorSearch& how) {
  LeastSquaresProblem problem;
  problem.residuals = how.residuals;
  problem.evaluate = how.evaluate;
  ResonatorFit best{{}, std::numeric_limits<double>::infinity()};
  Eigen::VectorXd before(0);
  for (int n = 1; n <= how.max_branches; ++n) {
    problem.lower = Eigen::VectorXd::Constant(3 * n, -how.log_bound);
    problem.upper = Eigen::VectorXd::Constant(3 * n, how.log_bound);
    LeastSquaresResult lowest{{}, std::numeric_limits<double>::infinity()};
    for (const Eigen::VectorXd& start : how.starts(n, before)) {
      const LeastSquaresResult result = minimise(problem, start);
      if (result.cost < lowest.cost) lowest = result;
    }
    before = lowest.x;
    const std::vector<Branch> branches = branches_of(before, how.omega0);
    const double misfit = how.misfit(branches);
    if (misfit < how.gain * best.misfit) best = {branches, misfit};
    if (best.misfit <= how.enough) break;
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
