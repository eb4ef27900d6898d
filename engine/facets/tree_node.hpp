// The nodes of a tree of boxes.
#pragma once

#include <array>
#include <cstdint>

namespace fdtd {

// A box in single precision around a triangle or a part of the tree.
struct TightBox {
  std::array<float, 3> low{}, high{};
};

struct alignas(64) TreeNode {
  std::array<std::array<float, 4>, 3> low{}, high{};  // of the four children, by axis
  std::array<std::uint32_t, 4> child{};               // a node, or `leaf`, a count and the first triangle
};

}  // namespace fdtd
