#include "engine/cuda/walls/near_wall_across_x.hpp"

#include <algorithm>
#include <array>
#include <random>

#include "tests/support/catch.hpp"

using namespace fdtd::cuda;

namespace {

// A cube's entries in the order of the array, half of it: what a wall across x makes of it.
std::vector<Reach> half_cube(int radius, int planes_x) {
  std::vector<Reach> entries;
  for (int z = -radius; z <= radius; ++z)
    for (int y = -radius; y <= radius; ++y)
      for (int x = 0; x < planes_x; ++x) entries.push_back({x, y, z});
  return entries;
}

}  // namespace

TEST_CASE("the steps of a wall across x give every lane the value of its own entry") {
  constexpr int lanes = 12, row = 40, plane = 1000;
  std::mt19937 random(3);
  std::vector<double> u(10000);
  for (double& value : u) value = std::uniform_real_distribution(-1.0, 1.0)(random);
  for (const auto& [radius, planes_x] : {std::pair{1, 1}, {2, 1}, {2, 2}, {3, 2}, {3, 3}, {3, 4}}) {
    const std::vector<Reach> entries = half_cube(radius, planes_x);
    const auto steps = steps_across(entries);
    REQUIRE(steps.size() == entries.size());
    std::array<std::array<double, max_registers>, lanes> registers{};
    const auto node = [&](int lane) { return 4 * plane + 5 * row + 7 + lane * row; };
    std::size_t loads = 0;
    for (std::size_t e = 0; e < entries.size(); ++e) {
      const auto [dx, dy, dz] = entries[e];
      const int offset = dx + dy * row + dz * plane, rows = static_cast<int>(steps[e] & step_rows) - max_rows_on;
      REQUIRE(rows == dy);
      const std::size_t which = register_of(steps[e]);
      if ((steps[e] & step_load) != 0) {
        ++loads;
        for (int lane = 0; lane < lanes; ++lane)
          registers[static_cast<std::size_t>(lane)][which] =
              u[static_cast<std::size_t>(node(lane) + offset - rows * row)];
      }
      for (int lane = std::max(0, -rows); lane < std::min(lanes, lanes - rows); ++lane)
        REQUIRE(registers[static_cast<std::size_t>(lane + rows)][which] ==
                u[static_cast<std::size_t>(node(lane) + offset)]);
    }
    REQUIRE(loads == static_cast<std::size_t>(planes_x * (2 * radius + 1)));
  }
}

TEST_CASE("what reaches too far, or would save little, has no steps across x") {
  REQUIRE(steps_across(half_cube(2, 5)).empty());                            // a fifth register
  REQUIRE(steps_across(std::vector<Reach>{{0, 4, 0}, {0, 5, 0}}).empty());   // rows too far
  REQUIRE(steps_across(std::vector<Reach>{{0, 0, 0}, {1, 0, 0}}).empty());   // leggy: inward alone
  REQUIRE(steps_across(std::vector<Reach>{{0, 0, -1}, {0, 0, 0}}).empty());  // planes: nothing to share
  REQUIRE(steps_across({}).empty());
}
