// Whether a grid's voxel is outside of a mesh.
#pragma once

#include <array>

#include "engine/voxels/space/mesh_grid.hpp"
#include "scenes/mesh/mesh.hpp"

namespace fdtd {

// Is there a way from `voxel` to the border of the grid? In the whole grid, at each process.
bool leads_outside(const Mesh& mesh, const MeshGrid& grid, const std::array<int, 3>& voxel);

}  // namespace fdtd
