// The layout of the fields in the CPU's memory, and the division of the grid into tiles.
//
// x runs fastest. The grid has a halo as wide as the stencil, so that the interior kernel needs no branch. It holds
// zeros, the value of walls, or mirror images of the nodes inside (image_halo.hpp). The halo after a row and the halo
// before the next row are adjacent in memory and disjoint; the zeros after a plane are those before the next plane.
// Rows begin on cache lines. The two fields of a run have the same layout.
//
// A tile is a few rows of a few planes. It is the unit of fusion (rows, walls, sources, boundary) while the data is in
// cache, of the order of steps within a sweep (schedule/), and of deterministic sums. Tiles depend on the grid only,
// never on the threads. They form columns along y and layers along z, those of plan/slab.hpp; ghosts are separate
// layers.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/plan/slab.hpp"
#include "engine/vector/aligned_memory.hpp"

namespace fdtd::cpu {

// Rows and planes of a tile; the last tile along an axis has 3 to 6 where the axis is that long, so that a wall of a
// box that reads three nodes inwards stays in its tile.
inline constexpr int tile_edge = layer_planes;
inline constexpr int max_tile_edge = 6;

struct Tile {
  int z_begin = 0, z_end = 0, y_begin = 0, y_end = 0;
};

struct Layout {
  Layout() = default;
  // `size` includes the ghost planes. `images`: the halo holds values, so its parts do not overlap.
  Layout(std::array<int, 3> size, int radius, std::size_t value_bytes, int ghosts_below = 0, int ghosts_above = 0,
         bool images = false);

  std::ptrdiff_t offset(int x, int y, int z) const { return first + x + y * row + z * plane; }
  std::ptrdiff_t offset(std::uint64_t node) const;
  std::ptrdiff_t first_of(const Tile& tile) const { return offset(0, tile.y_begin, tile.z_begin); }
  std::size_t tile_of(int y, int z) const {
    return first_tile(layer_of_plane(z)) + static_cast<std::size_t>(std::min(y / tile_edge, columns - 1));
  }
  std::size_t first_tile(int layer) const {
    return static_cast<std::size_t>(layer) * static_cast<std::size_t>(columns);
  }
  int layer_of_plane(int z) const;
  int layer_of_node(std::uint64_t node) const {
    return layer_of_plane(
        static_cast<int>(node / static_cast<std::uint64_t>(size[0]) / static_cast<std::uint64_t>(size[1])));
  }
  // Layers without ghosts.
  int own_begin() const { return ghosts_below > 0 ? 1 : 0; }
  int own_end() const { return ghosts_above > 0 ? layers - 1 : layers; }
  std::size_t tile_of(std::uint64_t node) const;
  // The place of the node at `offset` in an array that holds the rows of one tile only, and the length of that array.
  std::ptrdiff_t within(const Tile& tile, std::ptrdiff_t offset) const;
  std::ptrdiff_t tile_length() const { return row * max_tile_edge * max_tile_edge; }
  const Tile& tile(int column, int layer) const { return tiles[first_tile(layer) + static_cast<std::size_t>(column)]; }
  // A node reads at most this many tiles away along an axis: steps of a sweep keep that distance.
  int reach() const { return (radius + tile_edge - 1) / tile_edge; }
  // The beginning of the memory of row y of plane z, halos included: rows and planes follow each other without gaps.
  std::ptrdiff_t start_of(int y, int z) const;

  std::array<int, 3> size{};
  int radius = 0;
  int ghosts_below = 0, ghosts_above = 0;
  std::ptrdiff_t row = 0, plane = 0;  // from (x, y, z) to (x, y + 1, z), to (x, y, z + 1)
  std::ptrdiff_t first = 0;           // of node (0, 0, 0)
  std::ptrdiff_t length = 0;          // values in an array
  int columns = 1, layers = 1;        // tiles along y, along z
  std::vector<Tile> tiles;            // along y, then along z
};

// Items sorted by tile: those of tile t are items[begin[t]], ..., items[begin[t + 1] - 1], in their original order.
struct ByTile {
  ByTile(const std::vector<std::size_t>& tile_of_item, std::size_t tiles);
  std::vector<std::size_t> begin, items;
};

// Prefetches the cache lines of [begin, end).
template <class V>
inline void prefetch_lines(const V* begin, const V* end) {
  const auto* const last = reinterpret_cast<const char*>(end);
  for (const auto* line = reinterpret_cast<const char*>(begin); line < last; line += 64) __builtin_prefetch(line);
  if (begin < end) __builtin_prefetch(last - 1);
}

}  // namespace fdtd::cpu
