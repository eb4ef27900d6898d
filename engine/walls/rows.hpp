// From neighbourhoods to the rows of the wall operator. Each method has one function that computes a row; this file
// finds the nodes that need a row, computes each row once and joins neighbours that share it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "engine/plan/near_wall.hpp"
#include "engine/plan/voxels.hpp"
#include "engine/voxels/shared/plane_partition.hpp"
#include "engine/walls/cut/secured_cut.hpp"
#include "engine/walls/neighbourhoods.hpp"
#include "stencils/stencil.hpp"

namespace fdtd {

struct WallRow {
  std::vector<RowEntry> entries;  // corrections of the plain row: offsets in order of z, y, x, no zeros
  double mass = 1.0;
};

// The row of an air node from its surroundings. Called from several threads.
using MakeRow = std::function<WallRow(const Neighbourhood& around, const std::array<int, 3>& node)>;

// Nodes with equal keys have equal rows. A key costs less than a row: useful where many neighbourhoods share a row.
using MakeKey = std::function<std::vector<std::uint32_t>(const Neighbourhood& around, const std::array<int, 3>& node)>;

// Rows for every air node with wall within `reach`, which must contain all that `make_row` reads. Nodes with the plain
// row are left out.
NearWall collect_rows(const AirMask& air, std::array<int, 3> reach, const MakeRow& make_row,
                      const MakeKey& make_key = {});

// Stores rows in `walls` as patterns; bitwise equal rows share a pattern.
class PatternBook {
 public:
  explicit PatternBook(NearWall& walls) : walls_(walls) {}
  std::uint32_t number(const std::vector<RowEntry>& row);

 private:
  NearWall& walls_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
};

// Adds a segment, or extends the last one. Nodes must ascend; nx: nodes of a row.
void append_segment(NearWall& walls, const WallSegment& segment, std::uint64_t nx);

// The row of folding minus the plain row, exact because walks are counted. The window must be the reach of the terms.
WallRow folded_row(const std::vector<Term>& terms, const Neighbourhood& air);

// build(air), but for a box without inner walls in time proportional to its surface, not its volume: built for the
// box's core and inflated. Rows must not depend on anything beyond `reach`.
NearWall by_core(const AirMask& air, std::array<int, 3> reach, const std::function<NearWall(const AirMask&)>& build);

// The corrections of both: the patterns of the second after those of the first, segments by node and pattern.
NearWall joined(NearWall a, const NearWall& b);

// The core of a box, which has the same rows: at most 2 reach + 1 nodes along any axis.
std::array<int, 3> core_of_box(std::array<int, 3> size, std::array<int, 3> reach);

// Rows of the box `size` from those of its core: along each axis the core's middle plane represents all planes farther
// than reach from both walls.
NearWall inflated(const NearWall& core, std::array<int, 3> core_size, std::array<int, 3> size);

// Number of segments that `inflated` builds.
std::int64_t inflated_segments(const NearWall& core, std::array<int, 3> core_size, std::array<int, 3> size);

// Distinct nodes in the segments.
std::int64_t count_nodes(const std::vector<WallSegment>& segments);

// The methods of make_near_wall. They throw Error (status scene) when the stencil does not suit.
NearWall run_fold_walls(const GridStencil& stencil, const AirMask& air);
NearWall symmetrised_fold_walls(const GridStencil& stencil, const AirMask& air);
NearWall block_walls(const GridStencil& stencil, const AirMask& air);

// Walls with voxels of any volume and passages of any area, for stencils that knows_cut_voxels accepts.
// `moved`, if given, gets which nodes' walls are moved to their neighbours.
NearWall cut_walls(const GridStencil& stencil, const AirMask& air, const CutVoxels& cut,
                   std::vector<MovedWall>* moved = nullptr);
// The same in two steps: masses, passages and weights that the stencil needs, of this process's planes where several
// share the room (secured_cut.hpp); and the rows with them.
SecuredCut secured_for(const GridStencil& stencil, const AirMask& air, const CutVoxels& cut,
                       const PlanePartition& partition = {});
NearWall cut_walls(const GridStencil& stencil, const AirMask& air, const CutVoxels& cut, const SecuredCut& secured,
                   std::vector<MovedWall>* moved = nullptr);
// Fraction of the surplus of stiffness of products at cut voxels that is taken away: the certificate holds with it for every
// certified set of radius 2 (cut_cells_products.cpp). Radial sets, which run with few points a wavelength: the true
// second difference is large there, and without its stiffness the layer at the wall carries slow waves of its own.
inline constexpr double cut_surplus_fraction = 0.55, cut_surplus_fraction_of_radial = 0.05;
NearWall cut_product_walls(const GridStencil& stencil, const AirMask& air, const SecuredCut& cut);

}  // namespace fdtd
