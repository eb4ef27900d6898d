// Rows of cut voxels under stencils that are sums over the axes, with every row of the room made once: each axis gives
// patterns of its own, numbered in the order in which its lines, one after the other, first have them. Work goes by
// blocks of rows along x, whatever the axis, over words of 64 nodes: what is far from walls is passed over.
#pragma once

#include "engine/plan/near_wall.hpp"
#include "engine/plan/voxels.hpp"
#include "engine/walls/cut/secured_cut.hpp"
#include "stencils/stencil.hpp"

namespace fdtd {

// Corrections of the plain rows of all three axes, axis by axis, and those of `more` after them; the same for any number
// of threads.
NearWall axis_walls(const GridStencil& stencil, const AirMask& air, const SecuredCut& cut, const NearWall& more);

}  // namespace fdtd
