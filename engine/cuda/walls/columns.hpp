// The column of a boundary node: the nodes inwards from the wall that its thread updates with it (boundary_groups.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "engine/cuda/walls/boundary_sizes.hpp"
#include "engine/cuda/walls/near_wall.hpp"
#include "engine/plan/boundary.hpp"

namespace fdtd::cuda {

// The nodes that the boundary's sites read and write, and how many each node of the boundary has: its column. Laws of
// more than max_column taps have none: a launch of their own updates them after all corrections (walls.cu).
struct Columns {
  std::vector<std::uint8_t> length;    // by Boundary::nodes
  std::vector<OwnedNode> owned_nodes;  // sorted by node; `place` is the number before, column by column
};
// Throws Error (status resource) for laws of more than max_taps taps.
Columns columns_of(const Boundary& boundary, const AirMask& air, int radius, const Layout& layout);

}  // namespace fdtd::cuda
