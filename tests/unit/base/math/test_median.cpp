#include "base/math/median.hpp"

#include "tests/support/catch.hpp"

using fdtd::median;

TEST_CASE("the median is the value in the middle, of an even number the upper one") {
  CHECK(median({4.0}) == 4.0);
  CHECK(median({9.0, 1.0, 2.0}) == 2.0);
  CHECK(median({3.0, 1.0, 9.0, 2.0}) == 3.0);
}
