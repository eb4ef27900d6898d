// Points on the grid of a mesh: the voxels that see them, and the part of space they are in.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/voxels/space/mesh_grid.hpp"
#include "engine/voxels/space/space_parts.hpp"
#include "scenes/mesh/mesh.hpp"
#include "scenes/mesh/mesh_sight.hpp"

namespace fdtd {

// The position of a source or a receiver on the grid.
struct PlacedPoint {
  enum class Where {
    air,      // in the simulated room
    outside,  // connected to the border of the grid
    apart,    // in a closed part of space without a source: inside an object, or another room
    hidden    // too close between surfaces: no voxel's centre is in sight
  };
  Where where = Where::hidden;
  std::array<int, 3> voxel{};  // the nearest in sight; for `air` an air voxel
  std::int64_t part = 0;       // of space; points with the same number are connected
  double part_volume = 0.0;    // m3; of `apart`
  // Of MeshVoxels::openings: one that the grid closes, and through which the point would be connected to a source.
  std::optional<std::size_t> behind{};
};

Point centre_of(const MeshGrid& grid, const std::array<int, 3>& voxel);

// The voxel around a point; it may lie outside the grid.
std::array<int, 3> voxel_around(const MeshGrid& grid, const Point& at);

// Of each point the voxels around it whose centres are in sight, the nearest first. Empty for a point far from the grid.
std::vector<std::vector<std::array<int, 3>>> voxels_in_sight(const Mesh& mesh, const MeshGrid& grid,
                                                             const std::vector<Point>& points);

// The parts of space of voxels, list by list. All processes that share the room make this call.
std::vector<std::vector<std::int64_t>> parts_of(const SpaceParts& parts,
                                                const std::vector<std::vector<std::array<int, 3>>>& voxels);

// The part of space that a point is in: that of the nearest voxel in sight that is not outside. From a point on a wall,
// both sides are in sight. `parts`: one for each voxel.
PlacedPoint place(const std::vector<std::array<int, 3>>& in_sight, const std::vector<std::int64_t>& parts);

}  // namespace fdtd
