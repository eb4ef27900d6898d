// The steady flow through openings, against closed forms.
#include "engine/voxels/openings/near_space.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/meshes/mesh_voxels.hpp"
#include "tests/support/rooms/coupled_rooms.hpp"

using namespace fdtd;
using namespace fdtd::test;

TEST_CASE("a channel as wide as its box conducts its section over its length, a hole what rooms beside it leave") {
  // Only the channel lies in the box: no flow spreads.
  const CoupledRooms rooms{1.6, 1.4, 1.5, 1.3, 0.4, {0.6, 0.5}, {0.8, 0.7}};
  const Mesh mesh = coupled_rooms(rooms);
  const SpaceRegions regions(mesh, grid_around(mesh, 0.2, true), {rooms.in_first()});
  REQUIRE(regions.openings().size() == 1);
  const SpaceBox box = {{1.65, 0.55, 0.45}, {1.95, 0.85, 0.75}};
  const NearSpace space(mesh, regions, regions.openings().front(), box, {0.01, 0.01, 0.01});
  CHECK(space.conductance() == Approx(0.2 * 0.2 / 0.29).epsilon(0.02));  // between the centres of the end cells
  const NearSpace oblong(mesh, regions, regions.openings().front(), box, {0.01, 0.025, 0.0125});
  CHECK(oblong.conductance() == Approx(0.2 * 0.2 / 0.29).epsilon(0.02));
  CHECK(space.fraction(box) == Approx(0.2 * 0.2 * 0.3 / box.volume()).epsilon(0.02));
  // phi falls evenly from 1 to 0 along the channel: the mean of phi (1 - phi) is 1/6.
  CHECK(space.between_volume() == Approx(0.2 * 0.2 * 0.29 / 6.0).epsilon(0.02));
  const FlowNetwork::Middle middle = space.middle();
  CHECK(middle.position[1] == Approx(0.7).margin(0.006));
  CHECK(middle.position[2] == Approx(0.6).margin(0.006));
  CHECK(middle.direction[0] == Approx(1.0));
  double through = 0.0, open = 0.0;
  MeshGrid coarse = grid_around(mesh, 0.1, true);
  coarse.corner = {0, 0, 0};
  for (const auto& [place, face] : space.faces(coarse))
    if (place.second == 0 && place.first[0] == 17) through += face.flow, open += face.open;
  CHECK(through == Approx(space.conductance()).epsilon(1e-3));
  CHECK(open == Approx(4.0).epsilon(1e-6));
}

TEST_CASE("fitted to a conductance, the flow about an opening has it") {
  const CoupledRooms rooms{1.6, 1.4, 1.5, 1.3, 0.2, {0.6, 0.5}, {0.7, 0.6}};
  const Mesh mesh = coupled_rooms(rooms);
  const SpaceRegions regions(mesh, grid_around(mesh, 0.2, true), {rooms.in_first()});
  REQUIRE(regions.openings().size() == 1);
  const SpaceBox box = {{1.2, 0.2, 0.1}, {2.2, 1.1, 1.0}};
  NearSpace space(mesh, regions, regions.openings().front(), box, {0.025, 0.025, 0.025});
  const double before = space.conductance();
  space.fit(box, 0.5 * before);
  CHECK(space.conductance() == Approx(0.5 * before).epsilon(2e-3));
}

TEST_CASE(
    "behind a thin oblique wall, cells on its other side and inside it belong to no part that they cannot be reached "
    "from") {
  // Cells whose voxel's centre lies beyond a face of the wall would join the rooms through the wall and below the floor.
  const CoupledRooms rooms{2.6, 1.6, 2.2, 1.9, 0.1, {1.05, 0.95}, {1.15, 1.05}};
  for (const double angle : {11.0, 23.0}) {
    const Turn turn = turned(angle, 0.0, {0.1, 0.2, 0.3});
    const Mesh mesh = coupled_rooms(rooms, turn);
    const SpaceRegions regions(mesh, grid_around(mesh, 0.33, true), {turn(rooms.in_first())});
    REQUIRE(regions.openings().size() == 1);
    const NarrowOpening& one = regions.openings().front();
    SpaceBox box;
    for (std::size_t d = 0; d < 3; ++d) box.low[d] = one.position[d] - 0.99, box.high[d] = one.position[d] + 0.99;
    const NearSpace space(mesh, regions, one, box, {0.0367, 0.0367, 0.0367});
    CAPTURE(angle);
    CHECK(space.conductance() > 0.02);
    CHECK(space.conductance() < 0.08);
  }
}

TEST_CASE("fitted within a smaller box, an opening keeps what its surroundings leave of it") {
  // A neck whose ends lie at the border of the box: the flow between its mouths is fitted, and no more.
  const CoupledRooms rooms{1.6, 1.4, 1.5, 1.3, 0.3, {0.63, 0.52}, {0.73, 0.62}};
  const Mesh mesh = coupled_rooms(rooms);
  const SpaceRegions regions(mesh, grid_around(mesh, 0.4, true), {rooms.in_first()});
  REQUIRE(regions.openings().size() == 1);
  NearSpace space(mesh, regions, regions.openings().front(), {{0.8, 0.1, 0.1}, {2.7, 1.4, 1.2}}, {0.05, 0.05, 0.05});
  // From mouth to mouth A/L = .0333 m, with both ends' corrections within .05 m of the mouths some .03.
  space.fit({{1.55, 0.4, 0.3}, {1.95, 0.95, 0.85}}, 0.0285);
  CHECK(space.conductance() == Approx(0.01 / (0.3 + 2.0 * 0.0458)).epsilon(0.08));
}
