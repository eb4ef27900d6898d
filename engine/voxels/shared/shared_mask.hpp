// Masks of a room of which each of the processes that share it holds its planes.
#pragma once

#include <array>
#include <vector>

#include "engine/plan/voxels.hpp"
#include "engine/voxels/shared/plane_partition.hpp"

namespace fdtd {

// Some planes of a mask, from plane `begin` on; none: a mask of no size. All other voxels are wall.
struct MaskPlanes {
  int begin = 0;
  AirMask mask;
  bool operator()(int x, int y, int z) const { return mask(x, y, z - begin); }
};

// A mask of walls of planes [begin, end) of a room of size[0] x size[1] voxels a plane; none where begin >= end.
MaskPlanes walls_in_planes(const std::array<int, 3>& size, int begin, int end);

// The planes [begin, end) = wanted[partition.index] of a mask of `size` of which each process holds its own planes,
// partition.planes(size[2]). `wanted` is the same at all processes, which make this call together.
MaskPlanes planes_of_all(MaskPlanes own, const std::array<int, 3>& size, const std::vector<std::array<int, 2>>& wanted,
                         const PlanePartition& partition);

// All of it, at each process: a process's planes at a time pass through the others.
AirMask whole_mask(MaskPlanes own, const std::array<int, 3>& size, const PlanePartition& partition);

}  // namespace fdtd
