#include "base/math/newton.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fdtd {
namespace {

constexpr double least_damping = 1e-9, first_damping = 1e-6, most_damping = 1e20, rounding = 1e-15;

// Holds the variables that would leave their bounds, and clears their part of the gradient.
std::vector<bool> hold(const BoundedFunction& function, const Eigen::VectorXd& x, Eigen::VectorXd& gradient) {
  std::vector<bool> held(static_cast<std::size_t>(x.size()));
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    const bool beyond =
        (x[j] <= function.lower[j] && gradient[j] > 0.0) || (x[j] >= function.upper[j] && gradient[j] < 0.0);
    held[static_cast<std::size_t>(j)] = beyond;
    if (beyond) gradient[j] = 0.0;
  }
  return held;
}

Eigen::MatrixXd hessian_of_free(const BoundedFunction& function, const Eigen::VectorXd& x,
                                const std::vector<bool>& held) {
  Eigen::MatrixXd h = function.hessian(x);
  for (Eigen::Index j = 0; j < x.size(); ++j)
    if (held[static_cast<std::size_t>(j)]) h.row(j).setZero(), h.col(j).setZero(), h(j, j) = 1.0;
  return h;
}

}  // namespace

RestPoint to_rest(const BoundedFunction& function, const Eigen::VectorXd& start, double tolerance, int steps) {
  RestPoint at;
  at.x = start.cwiseMax(function.lower).cwiseMin(function.upper);
  double value = function.value(at.x), damping = least_damping;
  for (int step = 0;; ++step) {
    Eigen::VectorXd gradient = function.gradient(at.x);
    at.held = hold(function, at.x, gradient);
    at.hessian = hessian_of_free(function, at.x, at.held);
    at.reached = gradient.norm() < tolerance;
    if (at.reached || step == steps) return at;
    for (bool lower = false; !lower; damping = lower ? std::max(damping / 10.0, least_damping) : damping) {
      Eigen::MatrixXd damped = at.hessian;
      damped.diagonal().array() += damping;
      const Eigen::LDLT<Eigen::MatrixXd> solver(damped);
      if (solver.isPositive()) {
        Eigen::VectorXd next = (at.x - solver.solve(gradient)).cwiseMax(function.lower).cwiseMin(function.upper);
        const double there = function.value(next);
        lower = there <= value && next != at.x;
        if (lower && value - there <= rounding * std::abs(value)) steps = step + 1;  // the last
        if (lower) at.x = std::move(next), value = there;
      }
      if (!lower) damping = std::max(10.0 * damping, first_damping);
      if (damping > most_damping) return at;  // at the rounding of the function
    }
  }
}

}  // namespace fdtd
