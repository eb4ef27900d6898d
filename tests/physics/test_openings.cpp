// Openings of less than a voxel and of a few: two rigid rooms that one joins resonate at their Helmholtz frequency.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "engine/voxels/voxelise_mesh.hpp"
#include "engine/walls/near_wall_operator.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/meshes/mesh_voxels.hpp"
#include "tests/support/rooms/coupled_rooms.hpp"
#include "tests/support/solutions/sparse_operator.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

// The wave number (1/m) of the lowest mode on the grid.
double lowest_mode(const CoupledRooms& rooms, const std::string& name, double h, const Turn& turn) {
  const Stencil* const known = find_stencil(name);
  REQUIRE(known != nullptr);
  const Stencil stencil = at_courant(*known, 0.97 * std::min(known->courant, known->courant_limit));
  const double lambda = stencil.courant;
  const GridStencil on = on_grid(stencil, {lambda, lambda, lambda});
  const Mesh mesh = coupled_rooms(rooms, turn);
  MeshGrid grid = grid_around(mesh, h, true);
  grid.openings = true;
  grid.linked = is_sum_over_axes(on);
  const MeshVoxels made = voxelise(mesh, grid, {turn(rooms.in_first())}, {turn(rooms.in_second())});
  REQUIRE(made.receivers[0].where == PlacedPoint::Where::air);
  const SparseOperator op = sparse_operator(on, made.voxels.air, make_near_wall(on, made.voxels));
  const Eigen::VectorXd values = lowest_eigenvalues(op, 3);
  return std::sqrt(values[1]) / (lambda * h);
}

// The same, from the opening's conductance (m) and the volumes that it joins.
double helmholtz(const CoupledRooms& rooms, double conductance) {
  const double section = rooms.width * rooms.height;
  return std::sqrt(conductance * (1.0 / (section * rooms.first) + 1.0 / (section * rooms.second)));
}

}  // namespace

TEST_CASE("a neck of .1 m between two rooms resonates where it should, on grids of .21 and .45 m", "[physics]") {
  // Square necks: 0.458 of the side is added at each end in a wide wall.
  const double side = 0.1, length = 0.3;
  const CoupledRooms rooms{1.6, 1.4, 1.5, 1.3, length, {0.63, 0.52}, {0.63 + side, 0.52 + side}};
  const double exact = helmholtz(rooms, side * side / (length + 2.0 * 0.458 * side));
  for (const char* name : {"leggy-1", "leggy-3/warp1", "compact-3", "box-222"}) {
    for (const double h : {0.45, 0.21}) {
      for (const double angle : {0.0, 31.0}) {
        CAPTURE(name, h, angle);
        const double k = lowest_mode(rooms, name, h, turned(angle, 0.0, {0.1, 0.2, 0.3}));
        CHECK(std::abs(k / exact - 1.0) < 0.05);
      }
    }
  }
}

TEST_CASE("necks across layers of nodes, oblique ones and slits conduct what they should", "[physics]") {
  const double side = 0.16, length = 0.3;
  const CoupledRooms neck{3.1, 2.3, 2.9, 2.5, length, {1.31, 1.03}, {1.31 + side, 1.03 + side}};
  const double exact = helmholtz(neck, side * side / (length + 2.0 * 0.458 * side));
  for (const auto& [h, angle] : {std::pair{0.29, 23.0}, std::pair{0.25, 0.0}, std::pair{0.34, 11.0}}) {
    for (const char* name : {"leggy-1", "leggy-2"}) {
      CAPTURE(name, h, angle);
      CHECK(std::abs(lowest_mode(neck, name, h, turned(angle, 0.0, {})) / exact - 1.0) < 0.06);
    }
  }
  // In a wall of .1 m, whose corners with floor and ceiling lie between nodes. The conductance is that of grids of .05 m.
  const CoupledRooms slit{3.1, 2.3, 2.9, 2.5, 0.1, {0.4, 1.21}, {2.3, 1.26}};
  for (const auto& [name, h] :
       {std::pair{"leggy-2", 0.2895}, std::pair{"leggy-4", 0.2895}, std::pair{"leggy-1", 0.3}}) {
    CAPTURE(name, h);
    CHECK(std::abs(lowest_mode(slit, name, h, unturned) / helmholtz(slit, 0.37) - 1.0) < 0.12);
  }
}

TEST_CASE("a wall of a third of a voxel leaks nothing beside a neck, turned or not", "[physics]") {
  // Beside it sound passed as through an opening of .4 m and more: modes at 1.7 to 5 times their frequency.
  const double side = 0.1;
  for (const double wall : {0.1, 0.3}) {
    const CoupledRooms rooms{2.6, 1.6, 2.2, 1.9, wall, {1.05, 0.95}, {1.15, 1.05}};
    const double exact = helmholtz(rooms, side * side / (wall + 2.0 * 0.458 * side));
    for (const auto& [h, about_z, about_x] :
         {std::array{0.42, 0.0, 0.0}, std::array{0.33, 11.0, 0.0}, std::array{0.42, 23.0, 0.0},
          std::array{0.26, 23.0, 0.0}, std::array{0.29, 35.0, 19.0}}) {
      CAPTURE(wall, h, about_z, about_x);
      CHECK(std::abs(lowest_mode(rooms, "leggy-2", h, turned(about_z, about_x, {0.1, 0.2, 0.3})) / exact - 1.0) < 0.1);
    }
  }
}
