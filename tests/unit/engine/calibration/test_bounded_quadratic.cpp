#include "engine/calibration/bounded_quadratic.hpp"

#include <cmath>
#include <limits>
#include <random>

#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

struct Problem {
  Eigen::MatrixXd H;
  Eigen::VectorXd g, lower, upper;
  double value(const Eigen::VectorXd& x) const { return 0.5 * x.dot(H * x) - g.dot(x); }
};

Problem random_problem(std::mt19937& random, Eigen::Index n) {
  std::normal_distribution<double> normal;
  Problem problem;
  const Eigen::MatrixXd A = Eigen::MatrixXd::NullaryExpr(n + 1, n, [&] { return normal(random); });
  problem.H = A.transpose() * A + 1e-4 * Eigen::MatrixXd::Identity(n, n);
  problem.g = Eigen::VectorXd::NullaryExpr(n, [&] { return 3.0 * normal(random); });
  problem.lower = Eigen::VectorXd::NullaryExpr(n, [&] { return -std::abs(normal(random)); });
  problem.upper = Eigen::VectorXd::NullaryExpr(n, [&] { return std::abs(normal(random)); });
  return problem;
}

// The least value over all ways in which unknowns may lie on bounds.
double least_by_search(const Problem& problem) {
  const Eigen::Index n = problem.g.size();
  double least = std::numeric_limits<double>::infinity();
  const int ways = static_cast<int>(std::lround(std::pow(3.0, static_cast<double>(n))));
  for (int way = 0; way < ways; ++way) {
    Eigen::MatrixXd H = problem.H;
    Eigen::VectorXd g = problem.g;
    for (Eigen::Index i = 0, rest = way; i < n; ++i, rest /= 3)
      if (rest % 3 != 0) {
        H.row(i).setZero();
        H(i, i) = 1.0;
        g[i] = rest % 3 == 1 ? problem.lower[i] : problem.upper[i];
      }
    const Eigen::VectorXd x = H.fullPivLu().solve(g);
    if (((x - problem.lower).array() < -1e-9).any() || ((x - problem.upper).array() > 1e-9).any()) continue;
    least = std::min(least, problem.value(x));
  }
  return least;
}

}  // namespace

TEST_CASE("the minimum between bounds is that of a search over all active sets", "[calibration]") {
  std::mt19937 random(5);
  int on_bounds = 0;
  for (int k = 0; k < 300; ++k) {
    const Problem problem = random_problem(random, 1 + k % 4);
    const Eigen::VectorXd x = bounded_minimum(problem.H, problem.g, problem.lower, problem.upper);
    CHECK(((x - problem.lower).array() >= 0.0).all());
    CHECK(((problem.upper - x).array() >= 0.0).all());
    CHECK(problem.value(x) == Approx(least_by_search(problem)).margin(1e-8));
    on_bounds += (x.array() == problem.lower.array()).any() || (x.array() == problem.upper.array()).any();
  }
  CHECK(on_bounds > 100);
  CHECK(on_bounds < 300);
}
