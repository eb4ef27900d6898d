// Points on the grid of a mesh: the voxels that see them, and the part of space they are in.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "scenes/mesh.hpp"
#include "scenes/mesh_sight.hpp"
#include "scenes/space_parts.hpp"
#include "scenes/voxelise_mesh.hpp"

namespace fdtd {

Point centre_of(const MeshGrid& grid, const std::array<int, 3>& voxel);

// The voxel around a point; it may lie outside the grid.
std::array<int, 3> voxel_around(const MeshGrid& grid, const Point& at);

// The voxels around a point whose centres are in sight of it, the nearest first. Empty for a point far from the grid.
std::vector<std::array<int, 3>> voxels_in_sight(const Mesh& mesh, const MeshGrid& grid, const Point& at);

// The parts of space of voxels, list by list. All processes that share the room make this call.
std::vector<std::vector<std::int64_t>> parts_of(const SpaceParts& parts,
                                                const std::vector<std::vector<std::array<int, 3>>>& voxels);

// The part of space that a point is in: that of the nearest voxel in sight that is not outside. From a point on a wall,
// both sides are in sight. `parts`: one for each voxel.
PlacedPoint place(const std::vector<std::array<int, 3>>& in_sight, const std::vector<std::int64_t>& parts);

}  // namespace fdtd
