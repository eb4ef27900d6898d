#include "engine/voxels/space/clearance.hpp"

#include <algorithm>

namespace fdtd {
namespace {

// Sweeps along the order of nodes (direction 1) or against it (-1), over the 13 neighbours that come before: four rows as
// a whole, then the voxel before in the same row.
void sweep(const std::array<int, 3>& size, int direction, std::vector<std::uint8_t>& list) {
  const auto nx = static_cast<std::size_t>(size[0]), ny = static_cast<std::size_t>(size[1]);
  const auto row = [&](int y, int z) { return (static_cast<std::size_t>(z) * ny + static_cast<std::size_t>(y)) * nx; };
  std::vector<std::uint8_t> least(nx + 2, widest_clearance);  // of the rows before; a voxel more at both ends
  for (int c = 0; c < size[2]; ++c) {
    for (int b = 0; b < size[1]; ++b) {
      const int z = direction > 0 ? c : size[2] - 1 - c, y = direction > 0 ? b : size[1] - 1 - b;
      std::fill(least.begin(), least.end(), static_cast<std::uint8_t>(widest_clearance));
      for (const auto& [dy, dz] : {std::array{-1, 0}, std::array{-1, -1}, std::array{0, -1}, std::array{1, -1}}) {
        const int v = y + direction * dy, w = z + direction * dz;
        if (v < 0 || w < 0 || v >= size[1] || w >= size[2]) continue;
        const std::uint8_t* from = list.data() + row(v, w);
        for (std::size_t x = 0; x < nx; ++x) least[x + 1] = std::min(least[x + 1], from[x]);
      }
      std::uint8_t* to = list.data() + row(y, z);
      for (std::size_t x = 0; x < nx; ++x) {
        const int near = std::min({least[x], least[x + 1], least[x + 2]}) + 1;
        to[x] = static_cast<std::uint8_t>(std::min<int>(to[x], near));
      }
      int before = widest_clearance;
      for (std::size_t i = 0; i < nx; ++i) {
        std::uint8_t& here = to[direction > 0 ? i : nx - 1 - i];
        before = std::min<int>(here, before + 1);
        here = static_cast<std::uint8_t>(before);
      }
    }
  }
}

}  // namespace

std::vector<std::uint8_t> clearances(const std::array<int, 3>& size, const OpenLinks& open) {
  std::vector<std::uint8_t> list(
      static_cast<std::size_t>(size[0]) * static_cast<std::size_t>(size[1]) * static_cast<std::size_t>(size[2]),
      widest_clearance);
  std::size_t n = 0;
  for (int z = 0; z < size[2]; ++z)
    for (int y = 0; y < size[1]; ++y)
      for (int x = 0; x < size[0]; ++x, ++n)
        if (!(open[0](x, y, z) && open[0](x + 1, y, z) && open[1](x, y, z) && open[1](x, y + 1, z) &&
              open[2](x, y, z) && open[2](x, y, z + 1)))
          list[n] = 0;
  sweep(size, 1, list);
  sweep(size, -1, list);
  return list;
}

}  // namespace fdtd
