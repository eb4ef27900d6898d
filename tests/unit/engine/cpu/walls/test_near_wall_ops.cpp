#include "engine/cpu/walls/near_wall_ops.hpp"

#include "engine/cpu/field/row_stencil.hpp"
#include "engine/vector/kernels.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rooms/rooms.hpp"

using namespace fdtd;
using namespace fdtd::cpu;
using namespace fdtd::test;

TEST_CASE("corrections joined over rows and planes are those of the segments") {
  std::mt19937 random(3);
  const std::array<int, 3> size = {45, 22, 19};
  for (const char* name : {"leggy-1", "leggy-4", "leggy-8", "compact-3", "box-222"}) {
    for (const double fraction : {1.0, 0.97}) {
      const Stencil& stencil = *find_stencil(name);
      const GridStencil grid = on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant});
      const AirMask air(size, random_mask(size, fraction, random));
      const NearWall walls = make_near_wall(grid, air);
      const Layout layout(size, grid.radius, sizeof(double));
      const NearWallOps<double> ops(walls, layout);
      const RowStencilStore<double> store(grid, layout);
      std::vector<double> u(static_cast<std::size_t>(layout.length)), expected(u), whole(u);
      for (double& value : u) value = std::uniform_real_distribution<double>(-1, 1)(random);
      for (const WallSegment& segment : walls.segments) {
        for (std::uint32_t i = 0; i < segment.length; ++i) {
          const std::ptrdiff_t at = layout.offset(segment.node + i);
          for (std::uint64_t e = walls.pattern_begin[segment.pattern]; e < walls.pattern_begin[segment.pattern + 1];
               ++e) {
            const auto& [dx, dy, dz] = walls.entries[e].offset;
            expected[static_cast<std::size_t>(at)] +=
                walls.entries[e].weight * u[static_cast<std::size_t>(at + dx + dy * layout.row + dz * layout.plane)];
          }
        }
      }
      std::vector<double> of_tile(static_cast<std::size_t>(layout.tile_length()));
      for (std::size_t t = 0; t < layout.tiles.size(); ++t) {
        const Tile& tile = layout.tiles[t];
        std::fill(of_tile.begin(), of_tile.end(), 0.0);
        ops.add(layout, t, u.data(), of_tile.data());
        for (int z = tile.z_begin; z < tile.z_end; ++z)
          for (int y = tile.y_begin; y < tile.y_end; ++y)
            for (int x = 0; x < size[0]; ++x) {
              const std::ptrdiff_t at = layout.offset(x, y, z);
              whole[static_cast<std::size_t>(at)] = of_tile[static_cast<std::size_t>(layout.within(tile, at))];
            }
      }
      for (const Kernel& kernel : kernels()) {
        if (!kernel.runs_here()) continue;
        CAPTURE(name, fraction, kernel.instruction_set);
        const RowFunctions<double> functions = kernel.f64(store.view());
        std::vector<double> out(u.size()), apart(u.size());
        for (int layer = 0; layer < layout.layers; ++layer) {  // in two pieces, and tile by tile
          const std::size_t begin = layout.first_tile(layer), end = layout.first_tile(layer + 1);
          const std::size_t cut = begin + std::uniform_int_distribution<std::size_t>(0, end - begin)(random);
          ops.correct(layout, begin, cut, functions, u.data(), out.data());
          ops.correct(layout, cut, end, functions, u.data(), out.data());
          for (std::size_t t = begin; t < end; ++t) ops.correct(layout, t, t + 1, functions, u.data(), apart.data());
        }
        CHECK((out == apart));
        double worst = 0.0, largest = 0.0;
        for (std::size_t i = 0; i < out.size(); ++i) {
          worst = std::max({worst, std::abs(out[i] - expected[i]), std::abs(whole[i] - expected[i])});
          largest = std::max(largest, std::abs(expected[i]));
        }
        CHECK(largest > 0.01);
        CHECK(worst < 1e-14);
      }
    }
  }
}

TEST_CASE("equivalent tiles of a box share their corrections, a few for all planes of a wall") {
  const std::array<int, 3> size = {64, 40, 40};
  const Stencil& stencil = *find_stencil("leggy-4");
  const GridStencil grid = on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant});
  const Layout layout(size, grid.radius, sizeof(float));
  const NearWallOps<float> ops(make_near_wall(grid, AirMask(size)), layout);
  const std::size_t inside = layout.tile_of(12, 12), another = layout.tile_of(16, 20);
  CHECK(ops.count(inside) == 2);  // both ends of the rows
  CHECK(ops.begin(inside) == ops.begin(another));
  CHECK(ops.begin(inside)->rows == 4);
  CHECK(ops.begin(inside)->planes == 4);
  CHECK(ops.begin(layout.tile_of(0, 12)) != ops.begin(inside));
}

TEST_CASE("nodes beside an oblique wall, each with weights of its own, share vectors of weights by neighbour") {
  const std::array<int, 3> size = {64, 24, 24};
  std::mt19937 random(4);
  for (const char* name : {"leggy-1", "compact-3"}) {
    CAPTURE(name);
    const Stencil& stencil = *find_stencil(name);
    const GridStencil grid = on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant});
    Voxels voxels = cut_room(AirMask(size), random);
    voxels.cut.links = {};  // which add neighbours here and there
    const NearWall walls = make_near_wall(grid, voxels);
    const Layout layout(size, grid.radius, sizeof(float));
    const NearWallOps<float> ops(walls, layout);
    const std::size_t tile = layout.tile_of(12, 12);  // every node of it has its own weights
    std::uint64_t nodes = 0, columns = 0;
    for (const NearWallOp* op = ops.begin(tile); op != ops.end(tile); ++op) {
      nodes += op->length;
      columns += ops.columns(*op);
    }
    REQUIRE(nodes >= 64 * 16);
    CHECK(columns <= (nodes / 16 + 32) * static_cast<std::uint64_t>(stencil.point_count()));
  }
}
