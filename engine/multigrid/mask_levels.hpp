// The levels of a mask of trilinear elements, as CPU and GPU share them.
//
// A coarser level has elements of twice the sides. Children in one coarse cell that share no node make elements of their
// own, and elements that meet at a coarse position but join no child there have nodes of their own in it: a wall of one
// cell parts what lies on both sides on every level, up to where a door joins them (C. Dick, J. Georgii, R. Westermann,
// A hexahedral multigrid approach for simulating cuts in deformable objects, IEEE Trans. Vis. Comput. Graph. 17, 2011;
// virtual nodes: N. Molino, Z. Bao, R. Fedkiw, A virtual node algorithm for changing mesh topology during simulation,
// ACM Trans. Graph. 23, 2004). An element's coefficient is the sum of its children's over eight: where all are there,
// that is the Galerkin operator, because trilinear spaces are nested.
//
// Each position has one node in the grid; further ones lie in planes above it, where no element is, so that stencil
// computations over all planes leave their diagonals to them. Elements whose corners are all in the grid are stencil
// computations; the others, and what transfers to and from further nodes, are sparse rows.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/multigrid/mask_level.hpp"

namespace fdtd::multigrid {

inline constexpr std::int64_t coarsest_nodes = 400;  // at most, where there is more than one cell

// The finest first; it has no further nodes. Throws std::invalid_argument for sizes that do not match or a mask without
// elements.
std::vector<MaskLevel> mask_levels(const Elements& elements);

}  // namespace fdtd::multigrid
