#include "base/math/newton.hpp"

#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

// Rosenbrock's valley, (1 - x)^2 + 100 (y - x^2)^2.
BoundedFunction valley(double most) {
  BoundedFunction f;
  f.lower = Eigen::Vector2d(-5.0, -5.0);
  f.upper = Eigen::Vector2d(most, 5.0);
  f.value = [](const Eigen::VectorXd& p) {
    const double a = 1.0 - p[0], b = p[1] - p[0] * p[0];
    return a * a + 100.0 * b * b;
  };
  f.gradient = [](const Eigen::VectorXd& p) {
    const double b = p[1] - p[0] * p[0];
    return Eigen::VectorXd(Eigen::Vector2d(-2.0 * (1.0 - p[0]) - 400.0 * p[0] * b, 200.0 * b));
  };
  f.hessian = [](const Eigen::VectorXd& p) {
    Eigen::MatrixXd h(2, 2);
    h << 2.0 - 400.0 * (p[1] - 3.0 * p[0] * p[0]), -400.0 * p[0], -400.0 * p[0], 200.0;
    return h;
  };
  return f;
}

}  // namespace

TEST_CASE("Newton's method finds the bottom of a curved valley, also from where the function is not convex") {
  for (const Eigen::Vector2d& start : {Eigen::Vector2d(-1.2, 1.0), Eigen::Vector2d(0.0, 3.0)}) {
    const RestPoint rest = to_rest(valley(5.0), start, 1e-9, 100);
    CHECK(rest.reached);
    CHECK(rest.x[0] == Approx(1.0).epsilon(1e-9));
    CHECK(rest.x[1] == Approx(1.0).epsilon(1e-9));
    CHECK(rest.hessian(0, 0) == Approx(802.0).epsilon(1e-6));
    CHECK_FALSE(rest.held[0]);
  }
  CHECK_FALSE(to_rest(valley(5.0), Eigen::Vector2d(-1.2, 1.0), 1e-9, 3).reached);
}

TEST_CASE("Newton's method holds what would leave its bounds, and lets go of what would not") {
  const RestPoint rest = to_rest(valley(0.5), Eigen::Vector2d(-1.2, 1.0), 1e-9, 100);
  CHECK(rest.reached);
  CHECK(rest.x[0] == 0.5);
  CHECK(rest.x[1] == Approx(0.25).epsilon(1e-9));
  CHECK(rest.held[0]);
  CHECK_FALSE(rest.held[1]);
  CHECK(rest.hessian(0, 0) == 1.0);
  CHECK(rest.hessian(0, 1) == 0.0);
  const RestPoint inward = to_rest(valley(5.0), Eigen::Vector2d(5.0, 5.0), 1e-9, 100);
  CHECK(inward.reached);
  CHECK(inward.x[0] == Approx(1.0).epsilon(1e-9));
}
