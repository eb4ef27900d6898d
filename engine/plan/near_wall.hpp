// The near-wall operator of a plan, as data: the corrections that make the plain stencil stable at the walls of the
// room.
//
// Every row of S at a near-wall node is the plain row (solid voxels read as zero) plus a correction. Each different
// correction is stored once, as a pattern; neighbouring nodes along x with the same pattern form one segment. A node
// may lie in several segments (leggy: one for each axis); their corrections add up. walls/near_wall_operator.hpp builds
// it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace fdtd {

struct RowEntry {
  std::array<std::int16_t, 3> offset{};  // in voxels, from the node; always an air voxel
  double weight = 0.0;                   // to add to S's plain row
};

struct WallSegment {
  std::uint64_t node = 0;    // first node, x + nx (y + ny z)
  std::uint32_t length = 0;  // nodes along x
  std::uint32_t pattern = 0;
};

// Nodes whose mass is not 1 (block construction, cut voxels): S = 2I - M^-1 K, energy in the M inner product.
struct NodeMass {
  std::uint64_t node = 0;
  double mass = 1.0;
};

struct NearWall {
  std::vector<RowEntry> entries;
  std::vector<std::uint64_t> pattern_begin{0};  // entries of pattern p: [pattern_begin[p], pattern_begin[p+1])
  std::vector<WallSegment> segments;            // ordered by node, then pattern
  std::vector<NodeMass> masses;                 // ordered by node
  std::int64_t node_count = 0;                  // distinct near-wall nodes
  std::int64_t bytes() const;
};

// Mirror image of position j at the ends of a run of `length` cells 0..length-1: j mod 2 length, reflected
// (docs/explanation/walls.md, section 2).
constexpr int fold(int j, int length) {
  const int period = 2 * length;
  const int k = ((j % period) + period) % period;
  return k < length ? k : period - 1 - k;
}

// Rounds every entry to float, then lowers the weight at the node itself until no row sums to more than before. With
// the stencil's own rounded_to_float this excludes growth at zero frequency in single precision.
NearWall rounded_to_float(const NearWall& walls);

}  // namespace fdtd
