// The air of a room as boxes that the kernel works: runs along x that several rows and planes of a tile share.
//
// Kernels share what they read and sum between planes and rows, so rows of different lengths, as beside oblique walls,
// are worked together from the first node of any of them to the last, on whole cache lines, where that is cheaper than
// row by row. Values written to the solid nodes between are set to zero again while they are in cache; nothing reads u0
// before.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/cpu/field/layout.hpp"
#include "engine/plan/plan.hpp"
#include "engine/vector/vector_code.hpp"

namespace fdtd::cpu {

struct AirBox {
  std::int32_t x_begin = 0, x_end = 0;
  std::int32_t y = 0, rows = 0, z = 0, planes = 0;  // in a tile: from its first row and plane; else of the grid
  bool operator==(const AirBox&) const = default;
};

class AirBoxes {
 public:
  // `line`: values of a cache line.
  AirBoxes(const AirMask& air, const Layout& layout, int line);
  // Calls visit(box) for boxes that hold all air of tiles [columns_begin, columns_end) x [layer_begin, layer_end) of
  // the layout, each node once. Neighbouring tiles filled alike are one box.
  template <class Visit>
  void each(const Layout& layout, int columns_begin, int columns_end, int layer_begin, int layer_end,
            const Visit& visit) const;
  // The solid nodes in the boxes of tiles [begin, end): at most a cache line each.
  std::span<const SolidPiece> solid(std::size_t begin, std::size_t end) const {
    return {solid_.data() + solid_begin_[begin], solid_.data() + solid_begin_[end]};
  }
  // Nodes in the boxes of a tile.
  double nodes(const Layout& layout, std::size_t tile) const;

 private:
  // The boxes of a tile. `whole`: each holds all rows and planes of the tile, so that tiles with the same `runs` are
  // worked together, whatever their height.
  struct List {
    std::uint32_t begin = 0, count = 0, runs = 0;
    bool whole = true;
  };
  bool alike(std::size_t a, std::size_t b) const {
    return lists_[a].whole && lists_[b].whole && lists_[a].runs == lists_[b].runs;
  }
  std::vector<AirBox> boxes_;
  std::vector<List> lists_;  // of tiles; empty: all of them are full of air
  std::vector<SolidPiece> solid_;
  std::vector<std::size_t> solid_begin_;
};

template <class Visit>
void AirBoxes::each(const Layout& layout, int columns_begin, int columns_end, int layer_begin, int layer_end,
                    const Visit& visit) const {
  const auto tile_at = [&](int column, int layer) {
    return layout.first_tile(layer) + static_cast<std::size_t>(column);
  };
  // The boxes of one tile stretched over the tiles up to column `next` of layers up to `end`.
  const auto visit_tiles = [&](int column, int next, int layer, int end) {
    const Tile &first = layout.tile(column, layer), &last = layout.tile(next - 1, end - 1);
    const List& list = lists_[tile_at(column, layer)];
    for (std::uint32_t i = list.begin; i < list.begin + list.count; ++i) {
      AirBox box = boxes_[i];
      if (list.whole) box.rows = last.y_end - first.y_begin, box.planes = last.z_end - first.z_begin;
      box.y += first.y_begin, box.z += first.z_begin;
      visit(box);
    }
  };
  if (lists_.empty()) {
    const Tile &first = layout.tile(columns_begin, layer_begin), &last = layout.tile(columns_end - 1, layer_end - 1);
    visit(AirBox{0, layout.size[0], first.y_begin, last.y_end - first.y_begin, first.z_begin,
                 last.z_end - first.z_begin});
    return;
  }
  const auto through = [&](int column) {  // alike in all layers
    for (int layer = layer_begin; layer < layer_end; ++layer)
      if (!alike(tile_at(column, layer), tile_at(column, layer_begin))) return false;
    return true;
  };
  const auto visit_columns = [&](int begin, int end, int layer, int layers_end) {
    for (int column = begin, next = begin; column < end; column = next) {
      ++next;
      while (next < end && alike(tile_at(next, layer), tile_at(column, layer))) ++next;
      visit_tiles(column, next, layer, layers_end);
    }
  };
  for (int column = columns_begin, next = columns_begin; column < columns_end; column = next) {
    const bool joined = through(column);
    while (++next < columns_end && through(next) == joined) {
    }
    if (joined) {
      visit_columns(column, next, layer_begin, layer_end);
    } else {
      for (int layer = layer_begin; layer < layer_end; ++layer) visit_columns(column, next, layer, layer + 1);
    }
  }
}

}  // namespace fdtd::cpu
