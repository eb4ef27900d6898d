#include "base/math/latest_two.hpp"

#include "tests/support/catch.hpp"

#include <stdexcept>

using namespace fdtd;

TEST_CASE("of the latest two places a function's values are kept") {
  LatestTwo<double> latest;
  CHECK(latest.of(Eigen::VectorXd(0), [](double& value) { value = 11.0; }) == 11.0);  // a place without coordinates
  int made = 0;
  const auto square = [&](double x) {
    return latest.of(Eigen::VectorXd::Constant(1, x), [&](double& value) { value = x * x, ++made; });
  };
  CHECK(square(2.0) == 4.0);
  CHECK(square(3.0) == 9.0);
  CHECK(square(2.0) == 4.0);
  CHECK(square(3.0) == 9.0);
  CHECK(made == 2);
  CHECK(square(5.0) == 25.0);  // in place of the one made first
  CHECK(square(3.0) == 9.0);
  CHECK(made == 3);
  CHECK(square(2.0) == 4.0);
  CHECK(made == 4);
  // Places of another length are others, and none is known after a failure.
  CHECK(latest.of(Eigen::VectorXd::Constant(2, 2.0), [&](double& value) { value = 7.0; }) == 7.0);
  CHECK_THROWS(latest.of(Eigen::VectorXd::Constant(1, 9.0), [](double&) { throw std::runtime_error("fails"); }));
  CHECK(latest.of(Eigen::VectorXd::Constant(1, 9.0), [&](double& value) { value = 81.0; }) == 81.0);
}
