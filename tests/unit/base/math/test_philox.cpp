#include "base/math/philox.hpp"

#include <cmath>
#include <set>

#include "tests/support/catch.hpp"

using namespace fdtd;

TEST_CASE("Philox gives the known answers of Random123") {
  // Its file tests/kat_vectors, lines "philox4x32 10": counter, key, answer. The third counter and key are digits of pi.
  CHECK(philox({0, 0, 0, 0}, {0, 0}) == PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  constexpr std::uint32_t all = 0xffffffff;
  CHECK(philox({all, all, all, all}, {all, all}) == PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
  static_assert(philox({0, 0, 0, 0}, {0, 0})[3] == 0x9b00dbd8);
}

TEST_CASE("each seed and stream has its own key, whichever of their bits differ") {
  std::set<PhiloxKey> keys;
  for (int bit = 0; bit < 64; ++bit) {
    keys.insert(philox_key(std::uint64_t{1} << bit, 0));
    keys.insert(philox_key(0, std::uint64_t{1} << bit));
  }
  CHECK(keys.size() == 128);
}

TEST_CASE("uniform numbers lie in 0 to 1, less than 1, the mean of 10^5 at a half") {
  CHECK(uniform(0) == 0.0);
  CHECK(uniform(0, 0) == 0.0);
  CHECK(uniform(0xffffffff) == 1.0 - 0x1p-32);
  CHECK(uniform(0xffffffff, 0xffffffff) == 1.0 - 0x1p-53);
  CHECK(uniform(0x80000000, 0) == 0.5);
  double sum = 0.0, squares = 0.0;
  const PhiloxKey key = philox_key(7, 3);
  for (std::uint32_t i = 0; i < 25000; ++i)
    for (const std::uint32_t word : philox({i, 0, 0, 0}, key)) {
      const double x = uniform(word) - 0.5;
      sum += x;
      squares += x * x;
    }
  // Within four standard deviations: sqrt(1 / 12 / 10^5) of the mean, sqrt(1 / 180 / 10^5) of the variance.
  CHECK(std::abs(sum / 1e5) < 4.0 * std::sqrt(1.0 / 12.0 / 1e5));
  CHECK(std::abs(squares / 1e5 - 1.0 / 12.0) < 4.0 * std::sqrt(1.0 / 180.0 / 1e5));
}
