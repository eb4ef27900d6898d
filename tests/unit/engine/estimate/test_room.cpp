#include <numeric>

#include "engine/estimate/room.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

using Places = std::vector<std::array<double, 3>>;

Voxels voxels_where(std::array<int, 3> size, double h, const auto& is_air) {
  AirMask air = AirMask::walls(size);
  for (int z = 0; z < size[2]; ++z)
    for (int y = 0; y < size[1]; ++y)
      for (int x = 0; x < size[0]; ++x)
        if (is_air(x, y, z)) air.set(x, y, z, true);
  return voxels_of(std::move(air), {h, h, h}, "wall");
}

// Two rooms of 10 x 8 x 6 cells with a wall of one cell between them, and a door of `width` x `height` cells in it.
DiffusionRoom two_rooms(int width, int height) {
  const Voxels voxels = voxels_where({21, 8, 6}, 0.5, [&](int x, int y, int z) {
    return x != 10 || (std::abs(2 * y + 1 - 8) < width + 1 && z < height);
  });
  return make_diffusion_room(voxels, 0.125 * static_cast<double>(voxels.air.count()), {{1.0, 1.0, 1.0}}, {});
}

}  // namespace

TEST_CASE("a box is one part, with the mean free path 4 V/S", "[diffusion]") {
  const Voxels voxels = voxelise_box({10, 8, 6}, {0.5, 0.5, 0.5}, {"a", "a", "a", "a", "b", "c"});
  const DiffusionRoom room = make_diffusion_room(voxels, 60.0, {{1.0, 1.0, 1.0}}, {});
  REQUIRE(room.parts.size() == 1);
  CHECK(room.area == Approx(2.0 * (5.0 * 4.0 + 5.0 * 3.0 + 4.0 * 3.0)));
  CHECK(room.parts[0].mean_free_path == Approx(4.0 * 60.0 / 94.0));
  CHECK(room.areas == std::vector<double>{54.0, 20.0, 20.0});
}

TEST_CASE("a door separates two parts, a wide opening does not", "[diffusion]") {
  const DiffusionRoom door = two_rooms(2, 4);
  REQUIRE(door.parts.size() == 2);
  for (const DiffusionRoom::Part& part : door.parts) {
    CHECK(part.volume == Approx(60.0).epsilon(0.03));
    CHECK(part.openings == Approx(2.0 * 4.0 * 0.25).epsilon(0.5));
    CHECK(part.mean_free_path == Approx(4.0 * 60.0 / 94.0).epsilon(0.06));
  }
  CHECK(two_rooms(8, 6).parts.size() == 1);
}

TEST_CASE("areas and volumes are scaled to those of the room", "[diffusion]") {
  const Voxels voxels = voxelise_box({10, 8, 6}, {0.5, 0.5, 0.5}, {"a", "a", "a", "a", "a", "a"});
  const DiffusionRoom room = make_diffusion_room(voxels, 66.0, {{1.0, 1.0, 1.0}}, {});
  CHECK(room.area == Approx(94.0 * 1.1));
  CHECK(room.parts[0].volume == Approx(66.0));
}

TEST_CASE("spaces that touch along an edge alone are parted there", "[diffusion]") {
  // Two cubes whose only common points are an edge.
  const auto corner = [](int x, int y, int) { return (x < 4) == (y < 4); };
  const Voxels voxels = voxels_where({8, 8, 4}, 1.0, corner);
  const DiffusionRoom room = make_diffusion_room(voxels, 128.0, {{1.0, 1.0, 1.0}}, {{7.0, 7.0, 1.0}});
  for (int z = 0; z < 4; ++z) CHECK(room.is_air(3, 3, z) != room.is_air(4, 4, z));
  double area = 0.0;
  for (const DiffusionRoom::Wall& wall : room.walls) area += wall.area;
  CHECK(area == Approx(2.0 * 96.0));  // what was there, on the faces that are left
  CHECK(std::accumulate(room.air.begin(), room.air.end(), 0.0) == Approx(128.0));
}

TEST_CASE("lines of sight end at walls", "[diffusion]") {
  const DiffusionRoom room = two_rooms(2, 4);
  CHECK(in_sight(room, {1.0, 1.0, 1.0}, {4.0, 3.0, 2.5}));
  CHECK_FALSE(in_sight(room, {1.0, 0.6, 1.0}, {9.0, 0.6, 1.0}));
  CHECK(in_sight(room, {4.0, 2.0, 1.0}, {7.0, 2.0, 1.0}));
  CHECK_FALSE(in_sight(room, {4.0, 2.0, 2.8}, {7.0, 2.0, 2.8}));
  CHECK(in_sight(room, {1.0, 1.0, 1.0}, {1.0, 1.0, 1.0}));
}

TEST_CASE("sound goes straight in the part of a source that sees it, not around columns", "[diffusion]") {
  const DiffusionRoom door = two_rooms(2, 4);
  const Places sources = {{1.0, 1.0, 1.0}};
  const StraightPaths inside = straight_paths(door, sources[0]);
  CHECK(inside.in_sight == Approx(1.0));
  REQUIRE(inside.length.size() == door.air.size());
  CHECK(inside.length[door.cell_of(8, 1, 1)] == Approx(distance_between(sources[0], {4.25, 0.75, 0.75})));
  CHECK(inside.length[door.cell_of(14, 3, 2)] == 0.0F);  // the other room
  const auto columns = [](int x, int y, int) { return x % 6 < 4 || y % 6 < 4; };
  const Voxels voxels = voxels_where({30, 24, 6}, 0.5, columns);
  const DiffusionRoom hall = make_diffusion_room(voxels, 0.125 * static_cast<double>(voxels.air.count()), sources, {});
  const StraightPaths around = straight_paths(hall, sources[0]);
  CHECK(around.in_sight < 0.9);
  CHECK(around.length.empty());
  // Along a corridor it does, past what stands at its sides.
  const auto cupboards = [](int x, int y, int) { return x % 6 < 4 || (y > 0 && y < 5); };
  const Voxels between = voxels_where({60, 6, 6}, 0.5, cupboards);
  const DiffusionRoom corridor =
      make_diffusion_room(between, 0.125 * static_cast<double>(between.air.count()), {{1.0, 1.5, 1.5}}, {});
  const StraightPaths down = straight_paths(corridor, corridor.sources[0]);
  CHECK(down.in_sight < seen_part);
  CHECK(down.farthest == Approx(28.75).margin(0.1));
  CHECK_FALSE(down.length.empty());
}
