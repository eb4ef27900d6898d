// Costs of tiles without walls.
#pragma once

#include <vector>

#include "engine/cpu/field/layout.hpp"

namespace fdtd::cpu {

// The nodes of each tile.
inline std::vector<double> tile_sizes(const Layout& layout) {
  std::vector<double> sizes;
  for (const Tile& tile : layout.tiles)
    sizes.push_back(static_cast<double>(layout.size[0]) * (tile.y_end - tile.y_begin) * (tile.z_end - tile.z_begin));
  return sizes;
}

}  // namespace fdtd::cpu
