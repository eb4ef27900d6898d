// The part of the room that each voxel of its grid belongs to, where narrow openings join parts (narrow_openings.hpp).
// Behind a wall thinner than a voxel a voxel may have space of two parts. Its node is of the one that has more, and is
// closed to the other's: else sound would leak through the wall, by more than through a narrow opening.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/plan/voxels.hpp"
#include "engine/voxels/openings/narrow_openings.hpp"
#include "engine/voxels/space/mesh_grid.hpp"

namespace fdtd {

class GridSides {
 public:
  // All processes that share the grid make this call, and all know all voxels.
  GridSides(const MeshGrid& grid, const SpaceRegions& regions, const Voxels& voxels);

  // The part of a voxel, or SpaceRegions::none.
  std::uint32_t of(std::uint64_t node) const { return part_[node]; }
  bool differ(std::uint64_t a, std::uint64_t b) const {
    return part_[a] != part_[b] && part_[a] != SpaceRegions::none && part_[b] != SpaceRegions::none;
  }
  // Closes passages and links between voxels of two parts, where no opening is within some voxels.
  void close_leaks(const MeshGrid& grid, const SpaceRegions& regions, Voxels& voxels) const;

 private:
  void join_lonely(const MeshGrid& grid, const Voxels& voxels);

  std::vector<std::uint32_t> part_;
};

}  // namespace fdtd
