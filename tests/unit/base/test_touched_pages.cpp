#include "base/touched_pages.hpp"

#include <algorithm>

#include "tests/support/catch.hpp"

using namespace fdtd;

TEST_CASE("touched pages: a vector has the values that it is resized with", "[base]") {
  std::vector<int> values = {4, 5};
  resize_touched(values, 3'000'000, 7);
  CHECK(values.size() == 3'000'000);
  CHECK(std::ranges::all_of(values, [](int one) { return one == 7; }));
  resize_touched(values, 0);
  CHECK(values.empty());
}

TEST_CASE("touched pages: lists come one after the other, and are empty then", "[base]") {
  std::vector<std::vector<int>> lists;
  std::vector<int> wanted;
  for (int l = 0; l < 40; ++l) {
    lists.emplace_back();
    for (int i = 0; i < 97 * l; ++i) lists.back().push_back(l * i), wanted.push_back(l * i);
  }
  CHECK(concatenated(lists) == wanted);
  CHECK(std::ranges::all_of(lists, [](const auto& one) { return one.empty(); }));
}
