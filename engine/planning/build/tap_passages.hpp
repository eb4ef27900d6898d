// The passages that surfaces close about sources and receivers: what taps need of a mesh's cut voxels.
#pragma once

#include <array>
#include <vector>

#include "engine/plan/plan.hpp"
#include "engine/plan/voxels.hpp"
#include "engine/transducers/wall_layer.hpp"
#include "engine/voxels/shared/plane_partition.hpp"

namespace fdtd {

// Of `cut`, of which each process has its own planes, the passages in all planes that taps at `positions` (m, on the
// grid) may read, beside walls with `layers`. All processes make this call, with the same positions.
CutVoxels passages_about(const std::vector<std::array<double, 3>>& positions, const Grid& grid, const CutVoxels& cut,
                         const std::array<WallLayer, 3>& layers, const PlanePartition& partition);

}  // namespace fdtd
