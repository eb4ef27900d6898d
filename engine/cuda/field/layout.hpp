// Where nodes lie in the GPU's arrays: x fastest; around the grid a halo as wide as the stencil, zero unless a
// neighbour's planes lie there. Node (0, y, z) begins a cache line (128 bytes), so that vector loads at x a multiple of
// 4 are aligned; the halo before a row is the one after the row below it in memory, the same for planes. Both arrays of
// a run are alike.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace fdtd::cuda {

struct Layout {
  Layout() = default;
  Layout(std::array<int, 3> size, int radius, std::size_t value_bytes);

  std::int64_t offset(std::int64_t x, std::int64_t y, std::int64_t z) const { return first + x + y * row + z * plane; }
  std::int64_t offset(std::uint64_t node) const;  // node = x + nx (y + ny z)

  std::array<int, 3> size{};
  int radius = 0;
  std::size_t value_bytes = 4;
  std::int64_t row = 0, plane = 0;  // from (x, y, z) to (x, y + 1, z), to (x, y, z + 1), in values
  std::int64_t first = 0;           // of node (0, 0, 0)
  std::int64_t length = 0;          // values in an array, with those that the last vector of the last halo row reads
  std::int64_t nodes() const { return std::int64_t{size[0]} * size[1] * size[2]; }
  std::int64_t bytes() const { return length * static_cast<std::int64_t>(value_bytes); }
};

}  // namespace fdtd::cuda
