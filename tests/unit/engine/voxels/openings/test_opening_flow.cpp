// Openings that are narrow for the grid, as cut voxels and whole ones have them.
#include "engine/voxels/openings/opening_flow.hpp"

#include <omp.h>

#include <cmath>

#include "tests/support/catch.hpp"
#include "tests/support/meshes/mesh_voxels.hpp"
#include "tests/support/rooms/coupled_rooms.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

MeshVoxels with_openings(const Mesh& mesh, double h, bool cut, const CoupledRooms& rooms, const Turn& turn = unturned) {
  MeshGrid grid = grid_around(mesh, h, cut);
  grid.openings = true;
  return voxelise(mesh, grid, {turn(rooms.in_first())}, {turn(rooms.in_second())});
}

}  // namespace

TEST_CASE("whatever the grid, cut voxels have an opening and what is behind it") {
  const CoupledRooms neck{1.2, 1.0, 1.1, 0.9, 0.3, {0.5, 0.4}, {0.6, 0.5}};
  const CoupledRooms slit{1.2, 1.0, 1.1, 0.9, 0.06, {0.1, 0.0}, {1.0, 0.05}};
  const CoupledRooms hole{1.2, 1.0, 1.1, 0.9, 0.0, {0.5, 0.4}, {0.62, 0.52}};
  for (const CoupledRooms& rooms : {neck, slit, hole}) {
    for (const double h : {0.27, 0.2}) {
      for (const double angle : {0.0, 23.0}) {
        CAPTURE(rooms.wall, h, angle);
        const Turn turn = turned(angle, 0.0, {0.3, 0.1, -2.0});
        const MeshVoxels made = with_openings(coupled_rooms(rooms, turn), h, true, rooms, turn);
        REQUIRE(made.receivers[0].where == PlacedPoint::Where::air);
        REQUIRE(made.openings.size() == 1);
        // Oblique sheets leave passages that cannot be wide enough for a hole: 2.5 dB, and nowhere within 2.
        const bool oblique_hole = rooms.wall == 0.0 && angle != 0.0;
        CHECK(made.openings[0].conductance == Approx(1.0).epsilon(oblique_hole ? 0.25 : 0.16));
        CHECK((made.openings[0].wave > 0.0) == (std::abs(20.0 * std::log10(made.openings[0].conductance)) < 2.0));
      }
    }
  }
}

TEST_CASE("whole voxels have a narrow opening too wide or closed, and say so") {
  const CoupledRooms rooms{1.2, 1.0, 1.1, 0.9, 0.3, {0.5, 0.4}, {0.6, 0.5}};
  int closed = 0, wide = 0;
  for (const double h : {0.33, 0.3, 0.24}) {
    const MeshVoxels made = with_openings(coupled_rooms(rooms), h, false, rooms);
    REQUIRE(made.openings.size() == 1);
    const bool air = made.receivers[0].where == PlacedPoint::Where::air;
    CHECK(air == (made.openings[0].conductance > 0.0));
    CHECK(air != made.receivers[0].behind.has_value());
    ++(air ? wide : closed);
    CHECK((!air || made.openings[0].conductance > 1.5));
  }
  CHECK(closed > 0);
  CHECK(wide > 0);
}

TEST_CASE("openings that the grid has right keep their passages") {
  // Four cells wide in a thin wall: none is narrow. Two and a half: within what a fit could tell.
  const CoupledRooms rooms{1.2, 1.0, 1.1, 0.9, 0.1, {0.4, 0.2}, {0.8, 0.6}};
  const Mesh mesh = coupled_rooms(rooms);
  const MeshVoxels with = with_openings(mesh, 0.1, true, rooms);
  const MeshVoxels without = voxelise(mesh, grid_around(mesh, 0.1, true), {rooms.in_first()});
  CHECK(with.openings.empty());
  for (std::size_t d = 0; d < 3; ++d)
    CHECK(with.voxels.cut.passages[d].size() == without.voxels.cut.passages[d].size());
}

TEST_CASE("fitted openings are the same for any number of threads") {
  const CoupledRooms rooms{1.2, 1.0, 1.1, 0.9, 0.3, {0.5, 0.4}, {0.6, 0.5}};
  const Mesh mesh = coupled_rooms(rooms);
  const int before = omp_get_max_threads();
  omp_set_num_threads(1);
  const MeshVoxels one = with_openings(mesh, 0.2, true, rooms);
  omp_set_num_threads(3);
  const MeshVoxels three = with_openings(mesh, 0.2, true, rooms);
  omp_set_num_threads(before);
  const auto same = [](const CutFraction& a, const CutFraction& b) {
    return a.node == b.node && a.fraction == b.fraction;
  };
  for (std::size_t d = 0; d < 3; ++d)
    CHECK(std::ranges::equal(one.voxels.cut.passages[d], three.voxels.cut.passages[d], same));
  CHECK(std::ranges::equal(one.voxels.cut.volumes, three.voxels.cut.volumes, same));
  CHECK(one.openings[0].conductance == three.openings[0].conductance);
}
