#include "engine/adjoint/tap_shift.hpp"

#include <cmath>

#include "tests/support/catch.hpp"

using namespace fdtd;

TEST_CASE("a shift of a tap is the change of its weights a metre, over the nodes of both places") {
  // Linear between nodes along y.
  const auto make = [](const std::array<double, 3>& at) {
    const double below = std::floor(at[1]);
    const auto node = static_cast<std::uint64_t>(below);
    Tap tap;
    tap.nodes = {node, node + 1};
    tap.weights = {1.0 - (at[1] - below), at[1] - below};
    return tap;
  };
  const TapChange inside = tap_shift(4, {0.3, 6.5, 0.1}, 1, 0.25, make);
  CHECK(inside.tap == 4);
  CHECK(inside.change.nodes == std::vector<std::uint64_t>{6, 7});
  CHECK(inside.change.weights[0] == Approx(-1.0));
  CHECK(inside.change.weights[1] == Approx(1.0));
  const TapChange across = tap_shift(0, {0.3, 7.0, 0.1}, 1, 0.25, make);  // (0, 0.75, 0.25) - (0.25, 0.75, 0)
  CHECK(across.change.nodes == std::vector<std::uint64_t>{6, 7, 8});
  CHECK(across.change.weights[0] == Approx(-0.5));
  CHECK(across.change.weights[1] == Approx(0.0).margin(1e-12));
  CHECK(across.change.weights[2] == Approx(0.5));
  for (const double weight : tap_shift(0, {0.3, 6.5, 0.1}, 2, 0.25, make).change.weights)
    CHECK(weight == Approx(0.0).margin(1e-12));
}
