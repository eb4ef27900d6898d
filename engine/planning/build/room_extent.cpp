#include "engine/planning/build/room_extent.hpp"

#include <array>
#include <cstddef>

namespace fdtd {

RoomExtent extent_of(const Scene& scene, const GridChoice& choice, const RoomVoxels& voxels) {
  RoomExtent room;
  const auto& h = choice.grid.spacing;
  if (scene.room.mesh) {
    room.volume = voxels.tally.air * choice.grid.cell_volume();
    for (std::size_t m = 0; m < voxels.tally.areas.size(); ++m)
      if (voxels.tally.faces[m] > 0) room.areas[voxels.tally.materials[m]] += voxels.tally.areas[m];
    return room;
  }
  const std::array<double, 3> face = {h[1] * h[2], h[0] * h[2], h[0] * h[1]};
  const auto& size = choice.grid.size;
  room.volume = static_cast<double>(choice.grid.nodes()) * choice.grid.cell_volume();
  for (std::size_t side = 0; side < 6; ++side) {
    const std::size_t d = side / 2, u = (d + 1) % 3, v = (d + 2) % 3;
    room.areas[scene.room.walls[side]] += face[d] * size[u] * size[v];
  }
  for (std::size_t d = 0; d < 3; ++d) room.edges += 4.0 * size[d] * h[d];
  return room;
}

}  // namespace fdtd
