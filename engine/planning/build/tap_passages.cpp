#include "engine/planning/build/tap_passages.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "engine/transducers/tap_weights.hpp"
#include "engine/voxels/shared/plane_lists.hpp"

namespace fdtd {

CutVoxels passages_about(const std::vector<std::array<double, 3>>& positions, const Grid& grid, const CutVoxels& cut,
                         const std::array<WallLayer, 3>& layers, const PlanePartition& partition) {
  // Nodes on both sides of the point, further on one where a wall is on the other, and the way to the next wall.
  int depth = 0;
  for (const WallLayer& layer : layers) depth = std::max(depth, layer.depth());
  const int reach = 2 * max_tap_points + tap_points_at_wall + depth + 2;
  const int planes = grid.size[2];
  std::vector<bool> near(static_cast<std::size_t>(planes), false);
  for (const auto& position : positions) {
    const int home = static_cast<int>(std::clamp(std::floor(position[2] / grid.spacing[2]), 0.0, planes - 1.0));
    for (int z = std::max(0, home - reach); z < std::min(planes, home + reach + 1); ++z)
      near[static_cast<std::size_t>(z)] = true;
  }
  const std::uint64_t in_plane = static_cast<std::uint64_t>(grid.size[0]) * static_cast<std::uint64_t>(grid.size[1]);
  CutVoxels about;
  for (std::size_t d = 0; d < 3; ++d) {
    std::vector<CutFraction> mine;
    std::ranges::copy_if(cut.passages[d], std::back_inserter(mine),
                         [&](const CutFraction& one) { return near[static_cast<std::size_t>(one.node / in_plane)]; });
    about.passages[d] = gathered(mine, partition);
  }
  return about;
}

}  // namespace fdtd
