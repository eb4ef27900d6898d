// Builds the near-wall operator of a room (plan/near_wall.hpp): the corrections of the plain stencil that make S stable
// in this room. Only geometry and weights; impedance is in plan/boundary.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/plan/near_wall.hpp"
#include "engine/plan/voxels.hpp"
#include "engine/walls/cut/secured_cut.hpp"
#include "stencils/stencil.hpp"

namespace fdtd {

// Method of construction. `automatic` follows the stencil's proof: run folding for leggy stencils, the symmetrised fold
// where the stencil is certified for every mask or the room is a box, the block construction otherwise.
enum class WallMethod { automatic, run_fold, symmetrised_fold, block };

// Throws Error (status scene) when the method does not suit the stencil: run folding with points off the axes, the
// block construction without a block (gram_block.hpp) or with different axes.
NearWall make_near_wall(const GridStencil& stencil, const AirMask& air, WallMethod method = WallMethod::automatic);

// The same for a room with cut voxels; for a room of whole voxels as above. `moved`, if given, gets which nodes' walls
// are moved to their neighbours, in the order of the nodes, for `move_walls`.
NearWall make_near_wall(const GridStencil& stencil, const Voxels& voxels, std::vector<MovedWall>* moved = nullptr);

// Moves fractions of the areas of faces to neighbours: of nodes that have borrowed mass to its lenders, in the
// proportion of the masses, and with leggy stencils a little inward (inward_walls.hpp). Borrowed mass raises the field
// at its node, to second order in the wave number, and the wall would absorb too much; with the area gone along it
// absorbs as before (docs/explanation/walls.md, section 6). Faces are ordered by node before and after, and their areas
// add up to the same sum, material by material.
void move_walls(std::vector<BoundaryFace>& faces, const std::vector<MovedWall>& moved);

// Whether the stencil supports cut voxels: sums over the axes do (cut_cells.cpp), and products with the certificate up
// to a radius of 2 (cut_cells_products.cpp), radial sets up to the Courant number of theirs.
bool knows_cut_voxels(const GridStencil& stencil);
// Whether all points lie on the axes: leggy stencils.
bool is_sum_over_axes(const GridStencil& stencil);

// Upper bound of the bytes that make_near_wall needs for a box of this size; allocates nothing.
std::int64_t near_wall_bytes_of_box(const GridStencil& stencil, std::array<int, 3> size);

}  // namespace fdtd
