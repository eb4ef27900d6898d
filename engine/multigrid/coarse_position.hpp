// A position of a coarse level: eight coarse cells meet there, at a node of the fine level, and the 27 fine nodes around
// it are those with a value from it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/multigrid/mask_draft.hpp"

namespace fdtd::multigrid {

// The weight of a corner of a coarse element at a fine node.
inline double weight_of(const Place& cell, const Place& fine, unsigned corner) {
  double weight = 1.0;
  for (unsigned d = 0; d < 3; ++d) {
    const double t = 0.5 * (fine[d] - 2 * cell[d]);
    weight *= (corner >> d & 1U) != 0 ? t : 1.0 - t;
  }
  return weight;
}

// Eight cells meet at a position. Bit c of `octants[k]`: cell k, which lies below the position along the axes of the bits
// of k, has child c. Do elements of k and l = k ^ axes share a node that has a value from the position? They do where
// both have a child on what they have in common: a face, an edge or a corner.
inline bool meet(unsigned children, unsigned octant, unsigned axes) {
  // Children that touch the common part: along each of `axes` the one next to the position.
  for (unsigned c = 0; c < 8; ++c)
    if ((children >> c & 1U) != 0 && ((c ^ octant) & axes) == 0) return true;
  return false;
}

// By children and octant: bit `axes` is set where they meet.
inline constexpr std::size_t meeting_kinds = 256 * 8;
inline std::array<std::uint8_t, meeting_kinds> meeting_table() {
  std::array<std::uint8_t, meeting_kinds> table{};
  for (unsigned children = 0; children < 256; ++children)
    for (unsigned octant = 0; octant < 8; ++octant)
      for (unsigned axes = 1; axes < 8; ++axes)
        if (meet(children, octant, axes))
          table[children * 8 + octant] = static_cast<std::uint8_t>(table[children * 8 + octant] | 1U << axes);
  return table;
}

// Nodes of the fine level at one place near a position, each with the first element that has it.
class Known {
 public:
  std::size_t first_with(std::int64_t node, std::size_t element) {
    for (std::size_t i = 0; i < count_; ++i)
      if (node_[i] == node) return element_[i];
    if (count_ < node_.size()) node_[count_] = node, element_[count_++] = element;
    return element;
  }

 private:
  std::array<std::int64_t, 64> node_;
  std::array<std::size_t, 64> element_;
  std::size_t count_ = 0;
};

// Where a fine node lies of those that have a value from a coarse position and belong to more than one cell: x + 3 y +
// 9 z with 1 for the position's own coordinate; -1 elsewhere.
inline int common_place(const Place& coarse, const Place& fine) {
  int place = 0;
  bool common = false;
  for (std::size_t d = 3; d-- > 0;) {
    const int offset = fine[d] - 2 * coarse[d];
    if (offset < -1 || offset > 1) return -1;
    common = common || offset == 0;
    place = 3 * place + offset + 1;
  }
  return common ? place : -1;
}

}  // namespace fdtd::multigrid
