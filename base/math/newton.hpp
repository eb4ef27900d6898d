// Newton's method with bounds and Marquardt's damping: from where a least squares fit stalls to where its slope is 0, as
// derivatives by the implicit function theorem need.
#pragma once

#include <Eigen/Dense>
#include <functional>
#include <vector>

namespace fdtd {

struct BoundedFunction {
  Eigen::VectorXd lower, upper;
  std::function<double(const Eigen::VectorXd& x)> value;
  std::function<Eigen::VectorXd(const Eigen::VectorXd& x)> gradient;
  std::function<Eigen::MatrixXd(const Eigen::VectorXd& x)> hessian;  // symmetric, by all variables
};

struct RestPoint {
  Eigen::VectorXd x;
  std::vector<bool> held;   // variables on a bound beyond which the function falls
  Eigen::MatrixXd hessian;  // at x; rows and columns of held variables are those of 1
  bool reached = false;     // the gradient by the others is below `tolerance`
};

// Descends from `start` until the gradient's norm is below `tolerance`, or for `steps` steps.
RestPoint to_rest(const BoundedFunction& function, const Eigen::VectorXd& start, double tolerance, int steps);

}  // namespace fdtd
