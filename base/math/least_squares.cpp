#include "base/math/least_squares.hpp"

#include <algorithm>
#include <cmath>

namespace fdtd {

LeastSquaresResult minimise(const LeastSquaresProblem& problem, const Eigen::VectorXd& start, int iterations) {
  const auto n = start.size();
  Eigen::VectorXd x = start.cwiseMax(problem.lower).cwiseMin(problem.upper);
  Eigen::VectorXd r(problem.residuals), trial_r(problem.residuals);
  Eigen::MatrixXd jacobian(problem.residuals, n);
  problem.evaluate(x, r, &jacobian);
  double cost = 0.5 * r.squaredNorm(), damping = 1e-3;
  int stalled = 0;
  Eigen::VectorXd gradient;
  Eigen::MatrixXd normal;
  bool moved = true;  // since these two were made
  for (int i = 0; i < iterations && stalled < 5; ++i) {
    if (moved) {
      gradient = jacobian.transpose() * r;
      for (Eigen::Index j = 0; problem.stays_on_bounds && j < n; ++j)
        if ((x[j] <= problem.lower[j] && gradient[j] > 0.0) || (x[j] >= problem.upper[j] && gradient[j] < 0.0)) {
          jacobian.col(j).setZero();
          gradient[j] = 0.0;
        }
      normal.setZero(n, n);  // its lower triangle, which is all that LDLT reads
      normal.selfadjointView<Eigen::Lower>().rankUpdate(jacobian.transpose());
    }
    // Marquardt's scaling by the diagonal, with a floor for parameters without effect.
    const double floor = std::max(1e-12, 1e-8 * normal.diagonal().maxCoeff());
    Eigen::MatrixXd damped = normal;
    damped.diagonal() += damping * normal.diagonal().cwiseMax(floor);
    // Parameters are logarithms: the linear model does not hold over more than a factor e^2.
    const Eigen::VectorXd step = (-damped.ldlt().solve(gradient)).cwiseMax(-2.0).cwiseMin(2.0);
    const Eigen::VectorXd trial = (x + step).cwiseMax(problem.lower).cwiseMin(problem.upper);
    problem.evaluate(trial, trial_r, nullptr);
    const double trial_cost = 0.5 * trial_r.squaredNorm();
    moved = trial_cost < cost;
    if (moved) {
      stalled = cost - trial_cost < 1e-7 * cost ? stalled + 1 : 0;
      x = trial;
      cost = trial_cost;
      problem.evaluate(x, r, &jacobian);
      damping = std::max(damping / 5.0, 1e-12);
    } else {
      damping *= 4.0;
      if (damping > 1e12) break;
    }
  }
  return {x, cost};
}

}  // namespace fdtd
