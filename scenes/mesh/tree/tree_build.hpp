// The tree of boxes over given boxes: binned surface area heuristic (I. Wald, On fast construction of SAH-based bounding
// volume hierarchies, IEEE Symposium on Interactive Ray Tracing, 2007), two children at first, drawn together to eight.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scenes/mesh/tree/tree_node.hpp"

namespace fdtd {

// A child that is a leaf: this bit, three bits of a count less one, 28 bits of the first of `order`.
inline constexpr std::uint32_t leaf_bit = 0x80000000U, leaf_first = 0x0fffffffU, leaf_shift = 28;
inline constexpr std::uint32_t no_child = UINT32_MAX;
inline constexpr std::uint32_t largest_leaf = 4;

inline constexpr std::size_t most_waiting = 7 * 71;  // children of a search: seven a level, of at most 70

struct BuiltTree {
  std::vector<TreeNode> nodes;
  std::vector<std::uint32_t> order;  // the boxes, as leaves have them
  std::uint32_t root = no_child;     // a child as those of nodes
};

// The tree depends on the boxes alone.
BuiltTree build_tree(const std::vector<TightBox>& boxes);

}  // namespace fdtd
