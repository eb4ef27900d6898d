// The minimum of a strictly convex quadratic form between bounds, by an active set.
#pragma once

#include <Eigen/Dense>

namespace fdtd {

// The x that minimises x^T H x / 2 - g^T x with lower <= x <= upper: H symmetric and positive definite, lower <= upper.
// Exact: bounds join the active set where the way to the free minimum meets them, and leave it where the slope points
// inwards (P. E. Gill, W. Murray, M. H. Wright, Practical optimization, 1981, section 5.5).
Eigen::VectorXd bounded_minimum(const Eigen::MatrixXd& H, const Eigen::VectorXd& g, const Eigen::VectorXd& lower,
                                const Eigen::VectorXd& upper);

}  // namespace fdtd
