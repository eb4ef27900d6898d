#include "base/distinct.hpp"

#include "tests/support/catch.hpp"

using namespace fdtd;

TEST_CASE("names are numbered in the order of their first entry") {
  const Distinct all = distinct(std::vector<std::string>{"wall", "floor", "wall", "ceiling", "floor"});
  CHECK(all.names == std::vector<std::string>{"wall", "floor", "ceiling"});
  CHECK(all.numbers == std::vector<std::uint16_t>{0, 1, 0, 2, 1});
  CHECK(distinct({}).names.empty());
}
