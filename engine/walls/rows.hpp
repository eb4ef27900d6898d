// From neighbourhoods to the rows of the wall operator. One function a method makes a row; what is here finds the nodes
// that need one, makes each row once and joins neighbours that share it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "engine/walls/near_wall_operator.hpp"
#include "engine/walls/neighbourhoods.hpp"

namespace fdtd {

struct WallRow {
  std::vector<RowEntry> entries;  // what is to be added to the plain row: offsets in order of z, y, x, no zeros
  double mass = 1.0;
};

// The row of an air node from what is around it. Called from several threads.
using MakeRow = std::function<WallRow(const Neighbourhood& around, const std::array<int, 3>& node)>;

// Nodes with equal keys have equal rows. A key is quicker than a row: worth it where neighbourhoods say more than rows need.
using MakeKey = std::function<std::vector<std::uint32_t>(const Neighbourhood& around, const std::array<int, 3>& node)>;

// Rows for every air node with wall within `reach`, which must hold all that `make_row` looks at. Nodes whose row is the
// plain one are left out.
NearWall collect_rows(const AirMask& air, std::array<int, 3> reach, const MakeRow& make_row,
                      const MakeKey& make_key = {});

// Writes rows into `walls` as patterns, each once: those that are equal to the bit share a number.
class PatternBook {
 public:
  explicit PatternBook(NearWall& walls) : walls_(walls) {}
  std::uint32_t number(const std::vector<RowEntry>& row);

 private:
  NearWall& walls_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
};

// Adds a segment, or lengthens the last one: in order of nodes, `nx` of them a row.
void append_segment(NearWall& walls, const WallSegment& segment, std::uint64_t nx);

// The row of folding less the plain row, exact: walks are counted. The window must be the terms' reach.
WallRow folded_row(const std::vector<Term>& terms, const Neighbourhood& air);

// build(air), but for a box without inner walls the time goes with its surface, not its volume: built for the box's core
// and inflated. Rows must depend on nothing beyond `reach`.
NearWall by_core(const AirMask& air, std::array<int, 3> reach, const std::function<NearWall(const AirMask&)>& build);

// The corrections of both: patterns one after the other, segments in order of node and pattern.
NearWall joined(NearWall a, const NearWall& b);

// The room with which a box shares its rows: no longer than 2 reach + 1 along any axis.
std::array<int, 3> core_of_box(std::array<int, 3> size, std::array<int, 3> reach);

// Rows of the box `size` from those of its core: along each axis the core's middle plane stands for all that are farther
// than reach from both walls.
NearWall inflated(const NearWall& core, std::array<int, 3> core_size, std::array<int, 3> size);

// Segments that `inflated` will make.
std::int64_t inflated_segments(const NearWall& core, std::array<int, 3> core_size, std::array<int, 3> size);

// Distinct nodes in the segments.
std::int64_t count_nodes(const std::vector<WallSegment>& segments);

// The methods of make_near_wall. They throw Error (status scene) when the stencil does not suit.
NearWall run_fold_walls(const GridStencil& stencil, const AirMask& air);
NearWall symmetrised_fold_walls(const GridStencil& stencil, const AirMask& air);
NearWall block_walls(const GridStencil& stencil, const AirMask& air);

// Folding with voxels of any volumes and passages between them of any areas; areas are lowered where the proof asks it. Of a
// stencil that knows_cut_voxels; of a sum over the axes, and of products: for these
// what is cut must lie beside walls, a voxel away at most.
NearWall cut_walls(const GridStencil& stencil, const AirMask& air, const CutVoxels& cut);
NearWall cut_product_walls(const GridStencil& stencil, const AirMask& air, const CutVoxels& cut);

// The areas that are left, of all passages but whole ones.
CutVoxels within_spectrum(const AirMask& air, const CutVoxels& cut);

// Volumes m_i > 0 of a run of nodes and the areas w_i >= 0 asked between node i and the next (one fewer) -> areas for which
// the run's A = M^-1 L keeps its spectrum in [0, 4]; whole voxels keep theirs of 1.
void keep_spectrum(const std::vector<double>& volumes, std::vector<double>& areas);

}  // namespace fdtd
