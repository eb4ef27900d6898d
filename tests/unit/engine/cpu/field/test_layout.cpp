#include "engine/cpu/field/layout.hpp"

#include <set>

#include "tests/support/catch.hpp"

using namespace fdtd::cpu;

TEST_CASE("rows begin on cache lines, no two nodes share a place, and halos contain no node") {
  for (const int radius : {1, 4, 20}) {
    for (const std::size_t bytes : {std::size_t{4}, std::size_t{8}}) {
      const std::array<int, 3> size = {33, 5, 4};
      const Layout layout(size, radius, bytes);
      std::set<std::ptrdiff_t> nodes;
      for (int z = 0; z < size[2]; ++z)
        for (int y = 0; y < size[1]; ++y)
          for (int x = 0; x < size[0]; ++x) nodes.insert(layout.offset(x, y, z));
      CHECK(nodes.size() == 33 * 5 * 4);
      for (int z = -radius; z < size[2] + radius; ++z) {
        for (int y = -radius; y < size[1] + radius; ++y) {
          CHECK(static_cast<std::size_t>(layout.offset(0, y, z)) * bytes % 64 == 0);
          for (int x = -radius; x < size[0] + radius; ++x) {
            const bool inside = x >= 0 && x < size[0] && y >= 0 && y < size[1] && z >= 0 && z < size[2];
            const std::ptrdiff_t at = layout.offset(x, y, z);
            CHECK((at >= 0 && at < layout.length));
            if (!inside) CHECK(nodes.count(at) == 0);
          }
        }
      }
    }
  }
}

TEST_CASE("tiles cover every row once and map to their rows") {
  const Layout layout({300, 211, 6}, 8, 4);
  std::set<std::pair<int, int>> rows;
  for (std::size_t t = 0; t < layout.tiles.size(); ++t) {
    const Tile& tile = layout.tiles[t];
    std::set<std::ptrdiff_t> places;
    for (int z = tile.z_begin; z < tile.z_end; ++z) {
      for (int y = tile.y_begin; y < tile.y_end; ++y) {
        CHECK(rows.insert({z, y}).second);
        CHECK(layout.tile_of(y, z) == t);
        CHECK(places.insert(layout.within(tile, layout.offset(0, y, z))).second);
        const std::ptrdiff_t last = layout.within(tile, layout.offset(299, y, z));
        CHECK((last >= 299 && last < layout.tile_length()));
      }
    }
  }
  CHECK(rows.size() == 211 * 6);
  CHECK(layout.columns == 53);
  CHECK(layout.layers == 1);
}
