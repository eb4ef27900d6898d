// The rigid walls of a room that is a box, for kernels that read the mirror image of what lies within where others read
// the halo's zeros. That is run folding (numerics: 3.1), and the symmetrised fold, wherever every run goes from wall to
// wall: no near-wall row is left to correct, however large the stencil.
#pragma once

#include "engine/plan/plan.hpp"
#include "engine/plan/slab.hpp"

namespace fdtd {

struct ImageWalls {
  bool sides = false;                 // the walls across x and y; false: none at all
  bool below = false, above = false;  // those across z, where no neighbour's planes lie
};

// Of a slab's own plan. None where the room is no box, or narrower than the stencil's radius: an image of an image
// would be read.
ImageWalls image_walls_of(const Plan& plan, const Slab& slab);

}  // namespace fdtd
