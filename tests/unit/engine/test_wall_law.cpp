#include <array>
#include <stdexcept>

#include "engine/error.hpp"
#include "engine/wall_law.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

Grid grid_of(std::array<int, 3> size, std::array<double, 3> spacing) {
  Grid grid;
  grid.size = size;
  grid.spacing = spacing;
  grid.sound_speed = 340.0;
  grid.time_step = 1e-4;
  return grid;
}

MaterialFit fit_of(const std::string& name, std::vector<Branch> branches) {
  MaterialFit fit;
  fit.name = name;
  fit.branches = std::move(branches);
  return fit;
}

// Faces of a 2 x 2 x 1 room: every node lies on a corner; x_min and z_min are soft, y_max harder, the rest rigid.
Voxels small_room() {
  Voxels voxels;
  voxels.materials = {"rigid", "soft", "hard"};
  voxels.faces = {{0, 1.0F, 1, 0}, {0, 1.0F, 0, 2}, {0, 1.0F, 1, 4}, {0, 1.0F, 1, 5},   // node 0: -x, -y, -z, +z
                  {1, 1.0F, 0, 1}, {1, 1.0F, 0, 2},                                    // node 1: rigid only
                  {2, 1.0F, 1, 0}, {2, 0.5F, 2, 3}, {2, 1.0F, 1, 4},                   // node 2: two materials
                  {3, 0.0F, 2, 1}, {3, 1.0F, 2, 3}};                                   // node 3: a face without area
  return voxels;
}

}  // namespace

TEST_CASE("a law in steps is the material's branches behind the inertance of half a cell") {
  const Grid grid = grid_of({4, 4, 4}, {0.068, 0.085, 0.34});
  const MaterialFit fit = fit_of("m", {{1e-3, 0.8, 120.0}, {0.0, 3.0, 0.0}});
  const WallLaw law = plain_wall_law(fit, 2, 1, grid);
  CHECK(law.material == 2);
  CHECK(law.axis == 1);
  CHECK(law.inertance == Approx(1.0 / (2.0 * 0.4)));  // lambda_y = 0.034 / 0.085
  REQUIRE(law.branches.size() == 2);
  CHECK(law.branches[0].D == Approx(10.0));
  CHECK(law.branches[0].E == 0.8);
  CHECK(law.branches[0].F == Approx(0.012));
  CHECK(law.branches[1].D == 0.0);
}

TEST_CASE("rigid materials have no law and an empty branch is refused") {
  const Grid grid = grid_of({4, 4, 4}, {0.1, 0.1, 0.1});
  CHECK_THROWS_AS(plain_wall_law(fit_of("rigid", {}), 0, 0, grid), std::invalid_argument);
  CHECK_THROWS_AS(plain_wall_law(fit_of("hole", {{0.0, 0.0, 0.0}}), 0, 0, grid), Error);
}

TEST_CASE("faces of one law on one node become one site, several materials several") {
  const Voxels voxels = small_room();
  const Grid grid = grid_of({2, 2, 1}, {0.068, 0.085, 0.17});  // lambda 0.5, 0.4, 0.2
  std::vector<WallLaw> laws;
  const MaterialFit soft = fit_of("soft", {{0.0, 2.0, 0.0}, {1e-4, 4.0, 0.0}}), hard = fit_of("hard", {{0.0, 50.0, 0.0}});
  for (int axis = 0; axis < 3; ++axis) laws.push_back(plain_wall_law(soft, 1, axis, grid));
  for (int axis = 0; axis < 3; ++axis) laws.push_back(plain_wall_law(hard, 2, axis, grid));
  const Boundary boundary = make_boundary(voxels, laws, grid, NearWall{});

  CHECK(boundary.nodes == std::vector<std::uint64_t>{0, 2, 3});
  CHECK(boundary.site_begin == std::vector<std::uint32_t>{0, 2, 5, 6});
  const std::vector<std::pair<std::uint32_t, double>> wanted = {{0, 0.5}, {2, 0.4}, {0, 0.5}, {2, 0.2}, {4, 0.2}, {4, 0.4}};
  REQUIRE(boundary.sites.size() == wanted.size());
  for (std::size_t s = 0; s < wanted.size(); ++s) {
    CHECK(boundary.sites[s].law == wanted[s].first);
    CHECK(boundary.sites[s].weight == Approx(wanted[s].second));
  }
  CHECK(boundary.branch_begin == std::vector<std::uint64_t>{0, 2, 4, 6, 8, 9, 10});
  CHECK(boundary.inverse_mass.empty());
}

TEST_CASE("masses of the near-wall operator reach the boundary nodes they belong to") {
  const Grid grid = grid_of({2, 2, 1}, {0.068, 0.085, 0.17});
  NearWall near_wall;
  near_wall.masses = {{0, 0.5}, {1, 0.7}, {3, 2.0}};
  const Boundary boundary =
      make_boundary(small_room(), {plain_wall_law(fit_of("soft", {{0.0, 2.0, 0.0}}), 1, 0, grid),
                                   plain_wall_law(fit_of("hard", {{0.0, 9.0, 0.0}}), 2, 1, grid)},
                    grid, near_wall);
  CHECK(boundary.nodes == std::vector<std::uint64_t>{0, 2, 3});
  CHECK(boundary.inverse_mass == std::vector<double>{2.0, 1.0, 0.5});
}
