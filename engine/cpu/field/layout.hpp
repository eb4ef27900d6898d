// Where nodes lie in the CPU's arrays, and how the grid is cut into tiles.
//
// x runs fastest. Around the grid there is a halo as wide as the stencil, so that the interior kernel needs no branch: zeros,
// which walls read as, or mirror images of what lies within (images.hpp). What comes after a row and what comes before
// the next share a stretch of memory, each its own part of it; zeros after a plane are those before the next. Rows begin on
// cache lines. The two arrays of a run have the same layout.
//
// A tile is a few rows of a few planes: the unit of fusing (rows, walls, sources, boundary) while the data is in cache, of
// the order of steps within a sweep (march.hpp), and of deterministic sums. Tiles depend on the grid alone, never on the
// threads. They stand in columns along y and layers along z, those of slab.hpp; ghosts are a layer of their own.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "engine/plan/slab.hpp"

namespace fdtd::cpu {

// Rows and planes of a tile; the last along an axis has 3 to 6 where the axis is that long, so that a wall that reads three
// nodes inwards keeps to its tile at the faces of a box.
inline constexpr int tile_edge = layer_planes;
inline constexpr int most_tile_edge = 6;

struct Tile {
  int z_begin = 0, z_end = 0, y_begin = 0, y_end = 0;
};

struct Layout {
  Layout() = default;
  // `size` with the ghosts, planes of it. `images`: the halo may hold values, each place of it its own.
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
  // Where an array that holds the rows of one tile and nothing else has the node at `offset`, and how long that array is.
  std::ptrdiff_t within(const Tile& tile, std::ptrdiff_t offset) const;
  std::ptrdiff_t tile_length() const { return row * most_tile_edge * most_tile_edge; }
  const Tile& tile(int column, int layer) const { return tiles[first_tile(layer) + static_cast<std::size_t>(column)]; }
  // Tiles along an axis that steps of a sweep must stay apart: what a node reads lies at most so many tiles off.
  int reach() const { return (radius + tile_edge - 1) / tile_edge; }
  // Where the memory of row y of plane z begins, halos included: rows of a plane and planes follow each other without gaps.
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

// Items by tile: those of tile t are items[begin[t]], ..., items[begin[t + 1] - 1], in their own order.
struct ByTile {
  ByTile(const std::vector<std::size_t>& tile_of_item, std::size_t tiles);
  std::vector<std::size_t> begin, items;
};

// Asks memory for the lines of [begin, end).
template <class V>
inline void fetch_lines(const V* begin, const V* end) {
  const auto* const last = reinterpret_cast<const char*>(end);
  for (const auto* line = reinterpret_cast<const char*>(begin); line < last; line += 64) __builtin_prefetch(line);
  if (begin < end) __builtin_prefetch(last - 1);
}

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

// An array whose pages are untouched until someone writes them: the thread that computes a tile writes it first, so that
// its pages lie in that thread's memory. Throws Error (status resource) when there is not enough.
std::unique_ptr<void, Free> take_memory(std::size_t bytes);

}  // namespace fdtd::cpu
