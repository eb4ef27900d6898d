// Rooms whose narrow openings room.seal closes: their modes and areas are those of the watertight room.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "engine/voxels/voxelise_mesh.hpp"
#include "engine/walls/near_wall_operator.hpp"
#include "scenes/mesh/seal/seal_mesh.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/meshes/leaky_rooms.hpp"
#include "tests/support/meshes/mesh_voxels.hpp"
#include "tests/support/solutions/sparse_operator.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

struct Modes {
  Eigen::VectorXd values;
  double volume = 0.0, area = 0.0;
};

Modes modes_of(const Mesh& mesh, double h, const Place& source) {
  const Stencil* const known = find_stencil("leggy-2");
  REQUIRE(known != nullptr);
  const Stencil stencil = at_courant(*known, 0.97 * std::min(known->courant, known->courant_limit));
  const GridStencil on = on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant});
  MeshGrid grid = grid_around(mesh, h, true);
  grid.linked = is_sum_over_axes(on);
  const MeshVoxels made = voxelise(mesh, grid, {source});
  REQUIRE_FALSE(made.leaking);
  Modes modes;
  modes.values = lowest_eigenvalues(sparse_operator(on, made.voxels.air, make_near_wall(on, made.voxels)), 6);
  modes.volume = made.air_volume;
  modes.area = std::accumulate(made.areas.begin(), made.areas.end(), 0.0);
  return modes;
}

}  // namespace

TEST_CASE("modes of a sealed room are within .1 % of the watertight room's, areas within .1 %", "[physics]") {
  const Place size = {4.0, 3.0, 2.5}, source = {1.6, 1.3, 1.1};
  for (const Turn& turn : {Turn(unturned), turned(27.0, 13.0, {0.1, 0.2, 0.3})}) {
    const Mesh watertight = room_with_short_wall(size, 0.0, turn);
    for (const double h : {0.5, 0.33}) {
      const Modes exact = modes_of(watertight, h, turn(source));
      for (Mesh mesh : {room_with_short_wall(size, 0.2, turn), room_with_short_wall(size, 0.005, turn),
                        room_with_holes(size, {{0.7, 0.9, 0.8, 1.0}, {2.0, 2.04, 0.4, 2.1}}, turn)}) {
        const Sealing sealing = seal_mesh(mesh, 0.24, {turn(source)});
        REQUIRE_FALSE(sealing.openings.empty());
        const Modes sealed = modes_of(mesh, h, turn(source));
        CAPTURE(h, sealing.openings[0].width);
        for (int i = 1; i < 6; ++i) CHECK(std::abs(std::sqrt(sealed.values[i] / exact.values[i]) - 1.0) < 1e-3);
        CHECK(std::abs(sealed.volume / exact.volume - 1.0) < 1e-3);
        CHECK(std::abs(sealed.area / exact.area - 1.0) < 1e-3);
      }
    }
  }
}
