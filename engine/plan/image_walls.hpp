// The rigid walls of a box room as image walls (method of images), for kernels that read the mirror image of the
// interior where others read the zeros of the halo. In a box, where every run goes from wall to wall, that equals run
// folding and the symmetrised fold (docs/explanation/walls.md, section 2): no near-wall row remains to be corrected,
// whatever the radius.
#pragma once

#include "engine/plan/plan.hpp"
#include "engine/plan/slab.hpp"

namespace fdtd {

struct ImageWalls {
  bool sides = false;                 // walls across x and y; false: no image walls at all
  bool below = false, above = false;  // walls across z, where the slab has no neighbour
};

// Image walls of a slab's own plan. None if the room is not a box, or if it is narrower than the stencil's radius,
// where an image of an image would be read.
ImageWalls image_walls_of(const Plan& plan, const Slab& slab);

}  // namespace fdtd
