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
  CHECK(space.share(box) == Approx(0.2 * 0.2 * 0.3 / box.volume()).epsilon(0.02));
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
