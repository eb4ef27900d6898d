#include "engine/calibration/bounded_quadratic.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <vector>

namespace fdtd {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// The minimum over the free unknowns, the others as in x.
VectorXd free_minimum(const Eigen::MatrixXd& H, const VectorXd& g, const VectorXd& x, const std::vector<Index>& free) {
  const auto n = static_cast<Index>(free.size());
  VectorXd held = x;
  for (const Index i : free) held[i] = 0.0;
  const VectorXd rest = g - H * held;
  Eigen::MatrixXd part(n, n);
  VectorXd right(n);
  for (Index a = 0; a < n; ++a) {
    right[a] = rest[free[static_cast<std::size_t>(a)]];
    for (Index b = 0; b < n; ++b) part(a, b) = H(free[static_cast<std::size_t>(a)], free[static_cast<std::size_t>(b)]);
  }
  const VectorXd solved = part.ldlt().solve(right);
  VectorXd result = x;
  for (Index a = 0; a < n; ++a) result[free[static_cast<std::size_t>(a)]] = solved[a];
  return result;
}

}  // namespace

VectorXd bounded_minimum(const Eigen::MatrixXd& H, const VectorXd& g, const VectorXd& lower, const VectorXd& upper) {
  const Index n = g.size();
  VectorXd x = 0.5 * (lower + upper);
  std::vector<int> side(static_cast<std::size_t>(n), 0);  // -1: on its lower bound, 1: on its upper one
  for (int changes = 0; changes < 100 * (static_cast<int>(n) + 1); ++changes) {
    std::vector<Index> free;
    for (Index i = 0; i < n; ++i)
      if (side[static_cast<std::size_t>(i)] == 0) free.push_back(i);
    const VectorXd aim = free_minimum(H, g, x, free);
    double step = 1.0;
    Index met = -1;
    for (const Index i : free) {
      const double limit = aim[i] < lower[i] ? lower[i] : upper[i];
      if (aim[i] >= lower[i] && aim[i] <= upper[i]) continue;
      const double part = (limit - x[i]) / (aim[i] - x[i]);
      if (part < step) step = std::max(part, 0.0), met = i;
    }
    x += step * (aim - x);
    if (met >= 0) {
      const bool below = aim[met] < lower[met];
      side[static_cast<std::size_t>(met)] = below ? -1 : 1;
      x[met] = below ? lower[met] : upper[met];
      continue;
    }
    const VectorXd slope = H * x - g;
    const double least = 1e-12 * (1.0 + g.cwiseAbs().maxCoeff());
    Index leaves = -1;
    double steepest = least;
    for (Index i = 0; i < n; ++i) {
      const double inwards = side[static_cast<std::size_t>(i)] * slope[i];
      if (inwards > steepest && lower[i] < upper[i]) steepest = inwards, leaves = i;
    }
    if (leaves < 0) break;
    side[static_cast<std::size_t>(leaves)] = 0;
  }
  return x;
}

}  // namespace fdtd
