#include "engine/multigrid/mask_profile.hpp"

#include <stdexcept>

#include "tests/support/catch.hpp"

using namespace fdtd::multigrid;

TEST_CASE("named masks are profiled by any solver, and others are refused", "[multigrid]") {
  int made = 0;
  const MakeSolver make_solver = [&](const MaskLevels& levels) {
    ++made;
    return std::make_shared<MaskedMultigrid>(levels);
  };
  for (const char* name : mask_names) {
    const MaskProfile profile = profile_mask(name, {25, 20, 22}, make_solver, 2);
    INFO(name);
    CHECK(profile.solution.converged);
    CHECK(profile.solution.iterations <= 12);
    CHECK(profile.nodes > 4000);
    CHECK(profile.levels >= 2);
    CHECK(profile.further_nodes > 0);
    CHECK(profile.solution_seconds > 0.0);
  }
  CHECK(made == 3);
  CHECK_THROWS_AS(named_mask("cone", {4, 4, 4}), std::invalid_argument);
  CHECK(mask_bytes({200, 200, 200}) > 100.0 * 8e6);
}

TEST_CASE("rooms are four that doors join, whatever their cells", "[multigrid]") {
  const Elements rooms = named_mask("rooms", {24, 24, 8});
  const auto air = [&](int x, int y, int z) {
    return rooms.coefficient[static_cast<std::size_t>(x + 24 * (y + 24 * z))] > 0.0F;
  };
  CHECK(air(12, 6, 0));
  CHECK(air(12, 18, 0));
  CHECK(air(6, 12, 0));
  CHECK_FALSE(air(18, 12, 0));
  CHECK_FALSE(air(12, 6, 7));
  CHECK_FALSE(air(12, 12, 0));
}
