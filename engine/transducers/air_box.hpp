// The nodes around a point that derivatives of the field may read.
//
// Mirror images behind a wall continue a field whose normal derivative is zero there. A wall that absorbs has
// dp/dn = -(Y/c) dp/dt: its mirrored field has a kink, of which weights of the n-th derivative that reach past it read
// some Y k, with k^n to be read: at low frequencies the kink is all that is read. So derivatives read a box of nodes that
// has no wall in it.
#pragma once

#include <array>

#include "engine/plan/voxels.hpp"
#include "engine/walls/mirror_walk.hpp"

namespace fdtd {

// The air of a room with passages that surfaces without thickness close.
struct OpenAir {
  const AirMask& air;
  const CutVoxels* cut;  // null: none is closed
};

// Whether the passage from the air voxel `at` to its neighbour `next` along `axis` is open air.
bool leads(const OpenAir& open, const Voxel& at, const Voxel& next, std::size_t axis);

// Nodes first, first + 1, ..., first + count - 1 of one axis.
struct NodeRange {
  int first = 0, count = 0;
  int end() const { return first + count; }
  bool operator==(const NodeRange&) const = default;
};

// The box of nodes around the air voxel `home` without a wall in it, grown layer by layer to all sides alike until it is
// `wanted`, which contains `home`, or a wall stops it. An axis that a wall cuts short on one side grows on the other, to
// `most` nodes.
std::array<NodeRange, 3> air_box(const OpenAir& open, const Voxel& home, const std::array<NodeRange, 3>& wanted,
                                 int most);

}  // namespace fdtd
