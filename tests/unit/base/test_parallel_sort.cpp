#include "base/parallel_sort.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "tests/support/catch.hpp"

using namespace fdtd;

TEST_CASE("a parallel sort keeps the order of equal values, for few values and many") {
  std::mt19937_64 random(7);
  for (const std::size_t count : {0U, 1U, 1000U, 65535U, 65536U, 300000U}) {
    std::vector<std::pair<std::uint32_t, std::size_t>> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = {static_cast<std::uint32_t>(random() % 5000), i};
    std::vector<std::pair<std::uint32_t, std::size_t>> expected = values;
    std::sort(expected.begin(), expected.end());  // by value, then by the place before
    sort_stably(values, [](const auto& a, const auto& b) { return a.first < b.first; });
    CHECK(values == expected);
  }
}
