// Nodes beside walls thinner than a voxel: of one part each, and closed to the other's.
#include "engine/voxels/openings/grid_sides.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/meshes/mesh_voxels.hpp"
#include "tests/support/rooms/coupled_rooms.hpp"

using namespace fdtd;
using namespace fdtd::test;

TEST_CASE("far from an opening no passage or link leads from one part to the other, and no node is cut off") {
  // Two openings that lie low in a long wall of a third of a voxel.
  const CoupledRooms rooms{2.6, 1.6, 2.2, 2.9, 0.1, {1.05, 0.35}, {1.15, 0.45}};
  for (const double angle : {0.0, 11.0, 35.0}) {
    CAPTURE(angle);
    const Turn turn = turned(angle, 0.0, {0.1, 0.2, 0.3});
    const Mesh mesh = coupled_rooms(rooms, turn);
    MeshGrid grid = grid_around(mesh, 0.3, true);
    const SpaceRegions regions(mesh, grid, {turn(rooms.in_first())});
    REQUIRE(regions.openings().size() == 1);
    MeshVoxels made = voxelise(mesh, grid, {turn(rooms.in_first())}, {turn(rooms.in_second())});
    Voxels& voxels = made.voxels;
    const GridSides sides(grid, regions, voxels);
    sides.close_leaks(grid, regions, voxels);
    const double top = regions.openings()[0].high[2] + 2.0 * grid.spacing[2];
    const std::array<std::uint64_t, 3> stride = {
        1, static_cast<std::uint64_t>(grid.size[0]),
        static_cast<std::uint64_t>(grid.size[0]) * static_cast<std::uint64_t>(grid.size[1])};
    int beside = 0;
    for (int z = 0; z < grid.size[2]; ++z) {
      if (grid.corner[2] + z * grid.spacing[2] < top) continue;
      for (int y = 0; y < grid.size[1]; ++y) {
        for (int x = 0; x < grid.size[0]; ++x) {
          for (std::size_t d = 0; d < 3; ++d) {
            std::array<int, 3> next = {x, y, z};
            ++next[d];
            if (next[d] >= grid.size[d] || !voxels.air(x, y, z) || !voxels.air(next[0], next[1], next[2])) continue;
            const std::uint64_t node = static_cast<std::uint64_t>(x) + stride[1] * static_cast<std::uint64_t>(y) +
                                       stride[2] * static_cast<std::uint64_t>(z);
            if (!sides.differ(node, node + stride[d])) continue;
            ++beside;
            const auto& list = voxels.cut.passages[d];
            const auto at = std::ranges::lower_bound(list, node, {}, &CutFraction::node);
            CHECK((at != list.end() && at->node == node && at->fraction == 0.0F));
          }
        }
      }
    }
    CHECK(beside > 10);
    for (const CutLink& one : voxels.cut.links) {
      const double z = grid.corner[2] + static_cast<double>(one.node / stride[2]) * grid.spacing[2];
      CHECK((z < top || !sides.differ(one.node, one.to) || one.fraction == 0.0F));
    }
  }
}

TEST_CASE("the sides of a wall are those of the rooms beside it") {
  const CoupledRooms rooms{2.6, 1.6, 2.2, 1.9, 0.1, {1.05, 0.95}, {1.15, 1.05}};
  const Mesh mesh = coupled_rooms(rooms);
  MeshGrid grid = grid_around(mesh, 0.3, true);
  const SpaceRegions regions(mesh, grid, {rooms.in_first()});
  const MeshVoxels made = voxelise(mesh, grid, {rooms.in_first()});
  const GridSides sides(grid, regions, made.voxels);
  const std::uint32_t first = regions.part_at(rooms.in_first()), second = regions.part_at(rooms.in_second());
  REQUIRE(first != second);
  for (int z = 0; z < grid.size[2]; ++z)
    for (int y = 0; y < grid.size[1]; ++y)
      for (int x = 0; x < grid.size[0]; ++x) {
        if (!made.voxels.air(x, y, z)) continue;
        const double centre = grid.corner[0] + (x + 0.5) * grid.spacing[0];
        if (std::abs(centre - 2.65) < 0.2) continue;
        const auto node = static_cast<std::uint64_t>(x + grid.size[0] * (y + grid.size[1] * z));
        CHECK(sides.of(node) == (centre < 2.65 ? first : second));
      }
}
