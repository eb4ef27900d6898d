#include "engine/cuda/kernels/tma/tiles.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <tuple>

#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;
using namespace fdtd::cuda;

namespace {

template <class T>
bool has_tile(std::span<const TmaTile> table, int radius, std::uint64_t shells, TileUse use) {
  return std::ranges::any_of(table, [&](const TmaTile& row) {
    return row.radius == radius && (shells & ~row.shells) == 0 && has(row.use<T>(), use);
  });
}

// A tile that a march can have: rows shared out evenly, a box of the tensor copy engine (256 values at most), at
// most 512 threads that compute, and for ends four warps more with whole groups of four before them.
template <class T>
bool possible(const TmaTile& row) {
  const int width = 16 / static_cast<int>(sizeof(T)), halo = (row.radius + width - 1) / width * width;
  if (row.tile_y % row.rows != 0) return false;
  const int busy = row.across * (row.tile_y / row.rows), threads = (busy + 31) / 32 * 32 + 32;
  return row.across * width + 2 * halo <= 256 && row.tile_y + 2 * row.radius <= 256 && busy <= 512 &&
         (!has(row.use<T>(), TileUse::ends) || threads % 128 == 0);
}

template <class T>
void check_rows(std::span<const TmaTile> table) {
  std::set<std::tuple<int, std::uint64_t, int, int, int, bool>> seen;
  for (const TmaTile& row : table) {
    if (!row.compiled_in<T>()) continue;
    CAPTURE(sizeof(T), row.radius, row.shells, row.across, row.tile_y, row.rows);
    CHECK(possible<T>(row));
    const bool solids = has(row.use<T>(), TileUse::solids);
    CHECK(seen.insert({row.radius, row.shells, row.across, row.tile_y, row.rows, solids}).second);
  }
}

// A job takes the tiles of the smallest shape that holds its shells, and has walls or none.
template <class T>
void check_stencils() {
  for (const Stencil& stencil : catalogue()) {
    CAPTURE(stencil.name, sizeof(T));
    if (stencil.family == Family::leggy) {
      CHECK(has_tile<T>(compiled_tiles::star, stencil.radius(), 0, TileUse::plain | TileUse::either));
      continue;
    }
    for (const TileUse job : {TileUse::plain, TileUse::mirrored})
      CHECK(has_tile<T>(compiled_tiles::cube, stencil.radius(), 0, job | TileUse::either));
  }
}

}  // namespace

TEST_CASE("every tile of the tables can be marched, and stands there once") {
  for (const auto table :
       {std::span<const TmaTile>(compiled_tiles::cube), std::span<const TmaTile>(compiled_tiles::star)}) {
    check_rows<float>(table);
    check_rows<double>(table);
  }
}

TEST_CASE("every stencil of the catalogue has a tile in both precisions, cubes with rigid walls too") {
  check_stencils<float>();
  check_stencils<double>();
}

TEST_CASE("a tile that cannot be marched is found") {
  TmaTile row = compiled_tiles::cube.front();
  CHECK(possible<float>(row));
  row.rows = 4;
  CHECK_FALSE(possible<float>(row));  // 30 rows are not whole fours
  row.rows = 1;
  CHECK_FALSE(possible<float>(row));  // 960 threads
  row = compiled_tiles::cube.front(), row.across = 64;
  CHECK_FALSE(possible<float>(row));  // 264 values with the halo
}
