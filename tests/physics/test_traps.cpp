// Helmholtz traps drawn in a mesh: they resonate where the formula has them, or where the plan says that the grid does.
#include <algorithm>
#include <cmath>
#include <string>

#include "engine/voxels/voxelise_mesh.hpp"
#include "engine/walls/near_wall_operator.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/meshes/mesh_voxels.hpp"
#include "tests/support/rooms/room_with_trap.hpp"
#include "tests/support/solutions/sparse_operator.hpp"

using namespace fdtd;
using namespace fdtd::test;

TEST_CASE(
    "a trap with a neck of 3 to a fifth of a cell resonates where it should, or where the grid is said to have it",
    "[physics]") {
  const Stencil* const known = find_stencil("leggy-2");
  REQUIRE(known != nullptr);
  const Stencil stencil = at_courant(*known, 0.97 * std::min(known->courant, known->courant_limit));
  const double lambda = stencil.courant;
  const GridStencil on = on_grid(stencil, {lambda, lambda, lambda});
  const RoomWithTrap wide{{1.2, 1.0, 1.1}, {0.5, 0.45, 0.4}, {0.16, 0.16}, 0.3, {0.53, 0.52}},
      narrow{{1.2, 1.0, 1.1}, {0.5, 0.45, 0.4}, {0.06, 0.06}, 0.2, {0.53, 0.52}},
      small{{1.2, 1.0, 1.1}, {0.25, 0.25, 0.25}, {0.08, 0.08}, 0.2, {0.53, 0.52}};
  struct Case {
    const RoomWithTrap& trap;
    double h, angle;
  };
  for (const Case& one :
       {Case{wide, 0.0533, 0.0}, Case{small, 0.0533, 0.0}, Case{narrow, 0.12, 23.0}, Case{small, 0.16, 0.0},
        Case{small, 0.267, 23.0}, Case{small, 0.4, 0.0}, Case{small, 0.4, 23.0}}) {
    CAPTURE(one.h, one.angle);
    const Turn turn = turned(one.angle, 0.0, {0.1, 0.2, 0.3});
    const Mesh mesh = room_with_trap(one.trap, turn);
    MeshGrid grid = grid_around(mesh, one.h, true);
    grid.openings = true;
    grid.linked = is_sum_over_axes(on);
    const MeshVoxels made = voxelise(mesh, grid, {turn(one.trap.in_room())});
    const SparseOperator op = sparse_operator(on, made.voxels.air, make_near_wall(on, made.voxels));
    const double wave = std::sqrt(lowest_eigenvalues(op, 3)[1]) / (lambda * one.h),
                 exact = helmholtz_wave_number(one.trap);
    double noted = exact;
    if (!made.openings.empty()) {
      const MeshOpening& opening = made.openings[0];
      CHECK(opening.resonance == Approx(exact).epsilon(0.15));
      if (std::abs(opening.resonance_on_grid / opening.resonance - 1.0) > 0.05) noted = opening.resonance_on_grid;
    }
    CHECK(wave == Approx(noted).epsilon(0.15));
  }
}
