// Narrow openings of meshes: found where they are, with their widths, and nothing where there are none.
#include "engine/voxels/openings/narrow_openings.hpp"

#include <cmath>

#include "tests/support/catch.hpp"
#include "tests/support/meshes/mesh_voxels.hpp"
#include "tests/support/rooms/coupled_rooms.hpp"

using namespace fdtd;
using namespace fdtd::test;

TEST_CASE("a channel between two rooms is found, half a cell to two and a half wide, along the grid and oblique") {
  for (const double angle : {0.0, 27.0}) {
    for (const double cells : {0.5, 1.0, 2.5}) {
      CAPTURE(angle, cells);
      const double side = 0.12, h = side / cells;
      CoupledRooms rooms{1.6, 1.4, 1.5, 1.3, 0.2, {0.61, 0.52}, {0.61 + side, 0.52 + side}};
      const Turn turn = turned(angle, 0.0, {3.0, -1.0, 0.5});
      const Mesh mesh = coupled_rooms(rooms, turn);
      const SpaceRegions regions(mesh, grid_around(mesh, h, true), {turn(rooms.in_first())});
      REQUIRE(regions.openings().size() == 1);
      const NarrowOpening& one = regions.openings().front();
      const Place middle = turn({1.7, 0.61 + side / 2.0, 0.52 + side / 2.0});
      for (std::size_t d = 0; d < 3; ++d) CHECK(std::abs(one.position[d] - middle[d]) < 0.12);
      CHECK(one.width > 0.5 * side);
      CHECK(one.width < 1.6 * side);
      CHECK(one.behind == Approx(1.4 * 1.5 * 1.3).epsilon(0.1));
      const std::uint32_t first = regions.part_at(turn(rooms.in_first())),
                          second = regions.part_at(turn(rooms.in_second()));
      CHECK(first != second);
      CHECK(((one.parts[0] == first && one.parts[1] == second) || (one.parts[0] == second && one.parts[1] == first)));
    }
  }
}

TEST_CASE("two openings between the same rooms are two, the widest first") {
  Mesh mesh;
  add_box(mesh, {0, 0, 0}, {3.0, 1.5, 1.3}, {"wall", "wall", "wall", "wall", "wall", "wall"});
  const auto sheet = [&](double y_low, double y_high, double z_low, double z_high) {
    add_quad(mesh, {Place{1.6, y_low, z_low}, {1.6, y_high, z_low}, {1.6, y_high, z_high}, {1.6, y_low, z_high}},
             "wall", unturned);
  };
  sheet(0.0, 1.5, 0.0, 0.2), sheet(0.0, 0.2, 0.2, 0.4), sheet(0.4, 1.0, 0.2, 0.4), sheet(1.1, 1.5, 0.2, 0.4);
  sheet(0.0, 1.5, 0.4, 1.3);
  merge_vertices(mesh);
  const SpaceRegions regions(mesh, grid_around(mesh, 0.2, true), {{0.5, 0.5, 0.5}});
  REQUIRE(regions.openings().size() == 2);
  CHECK(regions.openings()[0].position[1] == Approx(0.3).margin(0.03));
  CHECK(regions.openings()[1].position[1] == Approx(1.05).margin(0.03));
  CHECK(regions.openings()[0].width > regions.openings()[1].width);
}

TEST_CASE("a box, an L-shaped room, a wide passage and a room with a column have no narrow openings") {
  CHECK(SpaceRegions(box_mesh({0, 0, 0}, {3, 2, 1.5}), grid_around(box_mesh({0, 0, 0}, {3, 2, 1.5}), 0.2, true),
                     {{1, 1, 1}})
            .openings()
            .empty());
  CoupledRooms wide{1.6, 1.4, 1.5, 1.3, 0.2, {0.3, 0.0}, {1.2, 1.3}};
  const Mesh passage = coupled_rooms(wide);
  CHECK(SpaceRegions(passage, grid_around(passage, 0.2, true), {wide.in_first()}).openings().empty());
  Mesh column = box_mesh({0, 0, 0}, {3, 2, 1.5});
  add_box(column, {1.2, 0.9, 0}, {1.5, 1.2, 1.5}, {"wall", "wall", "wall", "wall", "", ""});
  merge_vertices(column);
  CHECK(SpaceRegions(column, grid_around(column, 0.2, true), {{0.5, 0.5, 0.5}}).openings().empty());
}

TEST_CASE("what lies outside of the room is not behind an opening") {
  // A crack in a wall leads outside, into the corner that the bounding box of an L has beside it.
  Mesh mesh;
  add_box(mesh, {0, 0, 0}, {3, 1.5, 1.2}, {"wall", "wall", "wall", "", "wall", "wall"});
  add_box(mesh, {0, 1.5, 0}, {1.5, 3, 1.2}, {"wall", "wall", "", "wall", "wall", "wall"});
  add_quad(mesh, {Place{1.5, 1.5, 0}, {2.0, 1.5, 0}, {2.0, 1.5, 1.2}, {1.5, 1.5, 1.2}}, "wall", unturned);
  add_quad(mesh, {Place{2.06, 1.5, 0}, {3.0, 1.5, 0}, {3.0, 1.5, 1.2}, {2.06, 1.5, 1.2}}, "wall", unturned);
  merge_vertices(mesh);
  CHECK(SpaceRegions(mesh, grid_around(mesh, 0.25, true), {{0.5, 0.5, 0.5}}).openings().empty());
}

TEST_CASE("grids of too many voxels are not searched, and say so") {
  const Mesh mesh = box_mesh({0, 0, 0}, {3, 2, 1.5});
  CHECK(SpaceRegions(mesh, grid_around(mesh, 0.2, true), {{1, 1, 1}}).searched());
  CHECK(!SpaceRegions(mesh, grid_around(mesh, 0.008, true), {{1, 1, 1}}).searched());
}
