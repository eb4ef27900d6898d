#include "engine/rays/portable_math.hpp"

#include "tests/support/catch.hpp"

namespace fdtd {

TEST_CASE("cosines, sines and exponentials are those of the C library to rounding") {
  double circle = 0.0, power = 0.0;
  for (int i = 0; i <= 100000; ++i) {
    const double turn = i / 100000.0, angle = 2.0 * std::numbers::pi * turn;
    const auto [c, s] = cosine_sine(turn);
    circle = std::max({circle, std::abs(c - std::cos(angle)), std::abs(s - std::sin(angle))});
    const double x = -700.0 * turn;
    power = std::max(power, std::abs(exponential(x) / std::exp(x) - 1.0));
  }
  CHECK(circle < 1e-15);
  CHECK(power < 1e-13);
  CHECK(exponential(0.0) == 1.0);
  CHECK(exponential(-1e4) == 0.0);
  CHECK(cosine_sine(0.25) == std::array{0.0, 1.0});
}

}  // namespace fdtd
