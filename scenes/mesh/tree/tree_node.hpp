// The nodes of a tree of boxes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace fdtd {

// A box in single precision around a triangle or a part of the tree.
struct TightBox {
  std::array<float, 3> low{}, high{};
};

inline constexpr std::size_t node_width = 8;  // children

// Plain arrays: code of several instruction sets reads it, without functions that the linker could exchange.
struct alignas(64) TreeNode {
  float sides[6][node_width] = {};       // of the children: the low sides by axis, then the high ones
  std::uint32_t child[node_width] = {};  // a node, or a leaf (tree_build.hpp)
};

}  // namespace fdtd
