#include "engine/adjoint/sensitivity_map.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/engine/adjoint/gradient_rooms.hpp"

using namespace fdtd;
using namespace fdtd::test;

TEST_CASE("a map of sensitivity has the places, axes, materials and areas of a box's walls, and slopes by area") {
  RoomSpec spec;
  spec.size = {7, 5, 8};
  spec.stencil = "leggy-2";
  const Plan plan = box_plan(spec, {"1", "2", "3", "2", "1", "3"});
  const Boundary& boundary = plan.boundary;
  WallSlopes walls;
  for (std::size_t s = 0; s < boundary.sites.size(); ++s) {
    walls.admittance.push_back(static_cast<double>(s + 1));
    walls.inertance.push_back(2.0);
  }
  walls.branches.assign(boundary.branch_begin.back(), {3.0, 5.0, 7.0});
  std::vector<LawChange> changes;
  for (const WallLaw& law : boundary.laws)
    changes.push_back({std::vector<LawBranch>(law.branches.size(), {0.1, 0.2, 0.3}), 0.4, 0.5});
  const SensitivityMap map = sensitivity_map(plan, walls, changes);
  REQUIRE(map.value.size() == boundary.sites.size());
  const std::array<double, 3> h = plan.grid.spacing;
  std::array<double, 3> area{};
  for (std::size_t s = 0; s < map.value.size(); ++s) {
    const auto axis = static_cast<std::size_t>(map.axis[s]);
    const WallLaw& law = boundary.laws[boundary.sites[s].law];
    CAPTURE(s, axis);
    CHECK(map.axis[s] == law.axis);
    CHECK(map.material[s] == law.material);
    const auto branches = static_cast<double>(law.branches.size());
    CHECK(map.value[s] * map.area[s] ==
          Approx(0.5 * static_cast<double>(s + 1) + 0.4 * 2.0 + branches * (0.1 * 3.0 + 0.2 * 5.0 + 0.3 * 7.0)));
    const double low = 0.5 * h[axis], high = (plan.grid.size[axis] - 0.5) * h[axis], at = map.position[s][axis];
    CHECK((at == Approx(low) || at == Approx(high)));
    for (std::size_t d = 0; d < 3; ++d) {
      const double in_cells = map.position[s][d] / h[d] - 0.5;
      CHECK(std::abs(in_cells - std::round(in_cells)) < 1e-9);
      CHECK(map.position[s][d] < plan.grid.size[d] * h[d]);
    }
    area[axis] += map.area[s];
  }
  for (std::size_t d = 0; d < 3; ++d) {
    const std::size_t u = (d + 1) % 3, v = (d + 2) % 3;
    CHECK(area[d] == Approx(2.0 * plan.grid.size[u] * h[u] * plan.grid.size[v] * h[v]));
  }
}
