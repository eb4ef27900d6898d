#include "engine/walls/cut/cut_table.hpp"

#include "tests/support/catch.hpp"

using namespace fdtd;

TEST_CASE("a table of cut voxels has what is listed, in rows longer than a word, and whole shares beside it") {
  const std::array<int, 3> size = {130, 3, 2};
  const auto node = [&](int x, int y, int z) { return static_cast<std::uint64_t>(x + 130 * (y + 3 * z)); };
  SecuredCut cut;
  cut.masses = {{node(0, 0, 0), 0.25}, {node(63, 1, 0), 0.5}, {node(64, 1, 0), 0.75}, {node(129, 2, 1), 1.5}};
  cut.passages[0] = {{node(64, 1, 0), 0.125}};
  cut.passages[1] = {{node(100, 1, 1), 0.0}};
  const CutTable table(size, cut);
  CHECK(table.marks().count() == 4 + 1 + 2);
  CHECK(table({0, 0, 0}).volume == 0.25);
  CHECK(table({63, 1, 0}).volume == 0.5);
  CHECK(table({64, 1, 0}).volume == 0.75);
  CHECK(table({64, 1, 0}).passages == std::array<double, 3>{0.125, 1.0, 1.0});
  CHECK(table({65, 1, 0}).volume == 1.0);
  CHECK(table({65, 1, 0}).passages == std::array<double, 3>{1.0, 1.0, 1.0});
  CHECK(table({100, 1, 1}).passages == std::array<double, 3>{1.0, 0.0, 1.0});
  CHECK(table({100, 2, 1}).volume == 1.0);
  CHECK(table({129, 2, 1}).volume == 1.5);
  CHECK(!table.marks()(66, 1, 0));
}
