// Builds the near-wall operator of a room (plan/near_wall.hpp): the corrections of the plain stencil that make S stable
// in this room. Only geometry and weights; impedance is in plan/boundary.hpp.
#pragma once

#include <array>
#include <cstdint>

#include "engine/plan/near_wall.hpp"
#include "scenes/voxels.hpp"
#include "stencils/stencil.hpp"

namespace fdtd {

// Method of construction. `automatic` follows the stencil's proof: run folding for leggy stencils, the symmetrised fold
// where the stencil is certified for every mask or the room is a box, the block construction otherwise.
enum class WallMethod { automatic, run_fold, symmetrised_fold, block };

// Throws Error (status scene) when the method does not suit the stencil: run folding with points off the axes, the
// block construction without a block (gram_block.hpp) or with different axes.
NearWall make_near_wall(const GridStencil& stencil, const AirMask& air, WallMethod method = WallMethod::automatic);

// The same for a room with cut voxels; for a room of whole voxels as above.
NearWall make_near_wall(const GridStencil& stencil, const Voxels& voxels);

// Whether the stencil supports cut voxels: sums over the axes do (cut_cells.cpp), and products with the certificate up
// to a radius of 2 (cut_cells_products.cpp).
bool knows_cut_voxels(const GridStencil& stencil);

// Upper bound of the bytes that make_near_wall needs for a box of this size; allocates nothing.
std::int64_t near_wall_bytes_of_box(const GridStencil& stencil, std::array<int, 3> size);

}  // namespace fdtd
