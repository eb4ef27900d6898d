// Builds the near-wall operator of a room (plan/near_wall.hpp): what must be added to the plain stencil so that S is the
// operator that is stable in this room. Pure geometry and weights; impedance is plan/boundary.hpp.
#pragma once

#include <array>
#include <cstdint>

#include "engine/plan/near_wall.hpp"
#include "scenes/voxels.hpp"
#include "stencils/stencil.hpp"

namespace fdtd {

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

// Bytes that make_near_wall will need at most for a box of this size (before anything is allocated).
std::int64_t near_wall_bytes_of_box(const GridStencil& stencil, std::array<int, 3> size);

}  // namespace fdtd
