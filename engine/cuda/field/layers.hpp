// Sums by layers of the grid (slab.hpp). The summands lie in the order of nodes, cut into parts of one layer each,
// no longer than a block of threads sums at once. A part depends on its layer alone: not on how tables group nodes, nor
// on where a room is cut into slabs. So sums round alike for any number of GPUs. Ghosts are left out.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "engine/plan/slab.hpp"

namespace fdtd::cuda {

inline constexpr std::uint32_t no_layer = 0xFFFFFFFFU;

// The layers that are a slab's own, from 0; `size`: of its grid, ghosts counted.
struct OwnLayers {
  OwnLayers(const Slab& slab, const std::array<int, 3>& size)
      : begin(slab.ghosts_below),
        planes(size[2] - slab.ghosts_below - slab.ghosts_above),
        in_plane(static_cast<std::uint64_t>(size[0]) * static_cast<std::uint64_t>(size[1])) {}
  int begin, planes;
  std::uint64_t in_plane;
  std::uint32_t count() const { return static_cast<std::uint32_t>(layer_count(planes)); }
  std::uint32_t of_plane(int z) const {
    if (z < begin || z >= begin + planes) return no_layer;
    return static_cast<std::uint32_t>(layer_of(z - begin, planes));
  }
  std::uint32_t of_node(std::uint64_t node) const { return of_plane(static_cast<int>(node / in_plane)); }
};

struct LayerPart {
  std::uint64_t begin = 0, end = 0;
  std::uint32_t layer = 0;
};

// Of items 0..count - 1, whose layers layer_of_item(i) ascend but for ghosts'; of at most `most` items each.
template <class LayerOfItem>
std::vector<LayerPart> parts_by_layer(std::uint64_t count, std::uint64_t most, const LayerOfItem& layer_of_item) {
  std::vector<LayerPart> parts;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint32_t layer = layer_of_item(i);
    if (layer == no_layer) continue;
    if (parts.empty() || parts.back().layer != layer || parts.back().end - parts.back().begin == most)
      parts.push_back({i, i, layer});
    ++parts.back().end;
  }
  return parts;
}

// First part of every layer, and one more: their number.
inline std::vector<std::uint32_t> first_parts(const std::vector<LayerPart>& parts, std::uint32_t layers) {
  std::vector<std::uint32_t> first(std::size_t{layers} + 1, 0);
  for (const LayerPart& part : parts) ++first[std::size_t{part.layer} + 1];
  for (std::size_t l = 0; l < layers; ++l) first[l + 1] += first[l];
  return first;
}

}  // namespace fdtd::cuda
