// Levenberg-Marquardt for the small fits of this program (tens of parameters, hundreds of residuals). Deterministic.
// D. W. Marquardt, "An algorithm for least-squares estimation of nonlinear parameters", J. SIAM 11 (1963).
#pragma once

#include <Eigen/Dense>
#include <functional>

namespace fdtd {

// Residuals r at x and, where `jacobian` is not null, dr/dx (rows: residuals). r and jacobian have their sizes.
using ResidualFunction = std::function<void(const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd* jacobian)>;

struct LeastSquaresProblem {
  int residuals = 0;
  Eigen::VectorXd lower, upper;  // bounds of x; a step is clamped to them
  // For fits that end on bounds: a parameter on its bound that would go beyond stays, and the others' step is their own.
  bool stays_on_bounds = false;
  ResidualFunction evaluate;
};

struct LeastSquaresResult {
  Eigen::VectorXd x;
  double cost = 0.0;  // |r|^2 / 2
};

// Minimises from `start` until the cost stalls or after `iterations` trial steps.
LeastSquaresResult minimise(const LeastSquaresProblem& problem, const Eigen::VectorXd& start, int iterations = 150);

}  // namespace fdtd
