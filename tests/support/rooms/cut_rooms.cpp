#include "tests/support/rooms/cut_rooms.hpp"

#include <algorithm>

namespace fdtd::test {

Voxels cut_room(const AirMask& air, std::mt19937& random) {
  Voxels room = voxels_of(air, {0.1, 0.1, 0.1}, "wall");
  std::uniform_real_distribution<float> volume(0.001F, 1.75F), area(0.0F, 1.25F), any(0.0F, 1.0F);
  const auto [nx, ny, nz] = air.size();
  for (std::uint64_t node = 0; node < static_cast<std::uint64_t>(nx) * ny * nz; ++node) {
    const std::array<int, 3> at = {static_cast<int>(node) % nx, static_cast<int>(node) / nx % ny,
                                   static_cast<int>(node) / nx / ny};
    if (!air(at[0], at[1], at[2])) continue;
    if (any(random) < 0.75F) room.cut.volumes.push_back({node, volume(random)});
    for (std::size_t d = 0; d < 3; ++d) {
      auto next = at;
      ++next[d];
      if (air(next[0], next[1], next[2]) && any(random) < 0.75F)
        room.cut.passages[d].push_back({node, any(random) < 0.05F ? 0.0F : area(random)});
    }
  }
  // Links across edges of voxels, of at most 1.4 times a node's volume in all.
  std::vector<float> volumes(static_cast<std::size_t>(nx) * ny * nz, 1.0F);
  for (const CutFraction& one : room.cut.volumes) volumes[one.node] = one.fraction;
  for (std::uint64_t node = 0; node < volumes.size(); ++node) {
    const std::array<int, 3> at = {static_cast<int>(node) % nx, static_cast<int>(node) / nx % ny,
                                   static_cast<int>(node) / nx / ny};
    for (const auto& [x, y, z] : {std::array{-1, 1, 0}, std::array{1, 0, 1}}) {
      if (!air(at[0], at[1], at[2]) || !air(at[0] + x, at[1] + y, at[2] + z) || any(random) < 0.5F) continue;
      const std::uint64_t to = node + static_cast<std::uint64_t>(x + nx * (y + ny * z));
      room.cut.links.push_back(
          {node, to, z == 0 ? 1U : 2U, 0.35F * any(random) * std::min(volumes[node], volumes[to])});
    }
  }
  return room;
}

}  // namespace fdtd::test
