// The near-wall operator: what must be added to the plain stencil (solid voxels read as zero) so that S is the one that
// is stable in this room. Pure geometry and weights; impedance is boundary.hpp.
//
// Every row of S at a near-wall node is the plain row plus a correction. Corrections are held once a pattern; nodes next
// to each other along x with the same pattern form one segment. A node may lie in several segments (leggy: one an axis);
// their corrections add up.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "scenes/voxels.hpp"
#include "stencils/stencil.hpp"

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

// Mirror image of position j at the ends of a run of `length` cells 0..length-1: j mod 2N, reflected. numerics: section 3.1.
constexpr int fold(int j, int length) {
  const int period = 2 * length;
  const int k = ((j % period) + period) % period;
  return k < length ? k : period - 1 - k;
}

// How the wall operator is built. `automatic` follows the stencil's proof: run fold for leggy stencils, symmetrised fold
// where the stencil is certified for every mask or the room is a box, the block construction otherwise.
enum class WallMethod { automatic, run_fold, symmetrised_fold, block };

// Throws Error (status scene) when the method does not suit the stencil: run folding with points off the axes, the block
// construction without a block (walls_gram.hpp) or with axes that differ.
NearWall make_near_wall(const GridStencil& stencil, const AirMask& air, WallMethod method = WallMethod::automatic);

// Of a room whose oblique walls cut voxels too, where there are any; of whole voxels otherwise.
NearWall make_near_wall(const GridStencil& stencil, const Voxels& voxels);

// Can the stencil's walls have voxels that are not whole? Those of sums over the axes can (walls_cut.cpp), and those of
// products with the certificate (walls_cut_products.cpp) up to a radius of 2.
bool knows_cut_voxels(const GridStencil& stencil);

// Every entry rounded to float, then each pattern's weight at the node itself lowered until no row sums to more than
// before: beside `rounded_to_float` of the stencil, no growth at zero frequency in single precision either.
NearWall rounded_to_float(const NearWall& walls);

// Bytes that make_near_wall will need at most for a box of this size (before anything is allocated).
std::int64_t near_wall_bytes_of_box(const GridStencil& stencil, std::array<int, 3> size);

}  // namespace fdtd
