// The remedy for a room that leaks.
#pragma once

#include <array>
#include <string>

#include "engine/voxels/space/mesh_grid.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

// With the room.seal that closes the leak of `voxel` on this grid, which is looked for where the grid has at most 20
// million voxels.
std::string leak_hint(const Scene& scene, const MeshGrid& grid, const std::array<int, 3>& voxel);

}  // namespace fdtd
