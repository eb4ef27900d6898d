#include "engine/transducers/air_box.hpp"

#include <algorithm>
#include <cstdint>

namespace fdtd {
namespace {

// Whether the layer of a box at `position` along `axis`, beside the box on the side of `inside`, is air that passages
// without walls join to each other and to the box.
bool open_layer(const OpenAir& open, const std::array<NodeRange, 3>& box, std::size_t axis, int position, int inside) {
  const bool closed = open.cut != nullptr && !open.cut->empty();  // passages may be
  std::array<NodeRange, 3> layer = box;
  layer[axis] = {position, 1};
  for (int z = layer[2].first; z < layer[2].end(); ++z)
    for (int y = layer[1].first; y < layer[1].end(); ++y)
      for (int x = layer[0].first; x < layer[0].end(); ++x) {
        const Voxel at = {x, y, z};
        if (!open.air(x, y, z)) return false;
        if (!closed) continue;
        for (std::size_t d = 0; d < 3; ++d) {
          Voxel next = at;
          next[d] = d == axis ? inside : at[d] + 1;
          if ((d == axis || next[d] < layer[d].end()) && !leads(open, at, next, d)) return false;
        }
      }
  return true;
}

// Grows the box towards `wanted` by one layer a side and round; `blocked`: by axis and side, where a wall stops it.
void grow(const OpenAir& open, const std::array<NodeRange, 3>& wanted, std::array<NodeRange, 3>& box,
          std::array<std::array<bool, 2>, 3>& blocked) {
  for (bool grown = true; grown;) {
    grown = false;
    for (std::size_t d = 0; d < 3; ++d)
      for (std::size_t side = 0; side < 2; ++side) {
        const bool below = side == 0;
        if (blocked[d][side] || (below ? box[d].first <= wanted[d].first : box[d].end() >= wanted[d].end())) continue;
        const int inside = below ? box[d].first : box[d].end() - 1;
        if (!open_layer(open, box, d, below ? inside - 1 : inside + 1, inside)) {
          blocked[d][side] = true;
          continue;
        }
        box[d] = {box[d].first - (below ? 1 : 0), box[d].count + 1};
        grown = true;
      }
  }
}

}  // namespace

bool leads(const OpenAir& open, const Voxel& at, const Voxel& next, std::size_t axis) {
  constexpr float closed = 0.05F;  // a passage as narrow as this is none
  if (!open.air(next[0], next[1], next[2])) return false;
  if (open.cut == nullptr || open.cut->passages[axis].empty()) return true;
  const auto [nx, ny, nz] = open.air.size();
  const Voxel& low = at[axis] < next[axis] ? at : next;
  const std::uint64_t node =
      static_cast<std::uint64_t>(low[0]) +
      static_cast<std::uint64_t>(nx) *
          (static_cast<std::uint64_t>(low[1]) + static_cast<std::uint64_t>(ny) * static_cast<std::uint64_t>(low[2]));
  const auto& passages = open.cut->passages[axis];
  const auto passage = std::lower_bound(passages.begin(), passages.end(), node,
                                        [](const CutFraction& one, std::uint64_t n) { return one.node < n; });
  if (passage == passages.end() || passage->node != node) return true;
  return passage->fraction >= closed && !passage->fitted;  // the field beyond a narrow opening is another room's
}

std::array<NodeRange, 3> air_box(const OpenAir& open, const Voxel& home, const std::array<NodeRange, 3>& wanted,
                                 int most) {
  std::array<NodeRange, 3> box{}, further = wanted;
  std::array<std::array<bool, 2>, 3> blocked{};
  for (std::size_t d = 0; d < 3; ++d) box[d] = {home[d], 1};
  grow(open, wanted, box, blocked);
  for (std::size_t d = 0; d < 3; ++d) {
    const int room = std::max(0, most - box[d].count);
    if (blocked[d][0] && !blocked[d][1]) further[d] = {box[d].first, box[d].count + room};
    if (blocked[d][1] && !blocked[d][0]) further[d] = {box[d].first - room, box[d].count + room};
  }
  grow(open, further, box, blocked);
  return box;
}

}  // namespace fdtd
