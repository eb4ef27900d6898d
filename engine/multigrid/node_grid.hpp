// The nodes of a multigrid level in memory: rows along x, padded so that vectors may be loaded beyond both ends, with a
// halo of one node on every side that holds zeros.
#pragma once

#include <array>
#include <cstddef>

namespace fdtd::multigrid {

struct NodeGrid {
  std::array<int, 3> nodes{};
  std::ptrdiff_t row = 0, plane = 0;
  std::size_t size = 0;  // of an array

  NodeGrid() = default;
  explicit NodeGrid(const std::array<int, 3>& nodes_) : nodes(nodes_) {
    row = pad + (nodes[0] + pad - 1) / pad * pad;
    plane = row * (nodes[1] + 2);
    size = static_cast<std::size_t>(plane * (nodes[2] + 2) + 2 * pad);
  }
  std::ptrdiff_t at(int x, int y, int z) const { return plane * (z + 1) + row * (y + 1) + pad + x; }
  std::size_t index(int x, int y, int z) const { return static_cast<std::size_t>(at(x, y, z)); }
  std::ptrdiff_t count() const { return static_cast<std::ptrdiff_t>(nodes[0]) * nodes[1] * nodes[2]; }
  bool operator==(const NodeGrid&) const = default;

 private:
  static constexpr std::ptrdiff_t pad = 16;
};

}  // namespace fdtd::multigrid
