// Box-compact stencils S_q: the shells up to q = (q1, q2, q3) in lexicographic order, so that (q, q, q) is the full
// cube of (2q+1)^3 points. The first twenty: (1,0,0) to (4,0,0). B. Hamilton, C. J. Webb, A. Gray, S. Bilbao, "Large
// stencil operations for GPU-based 3-D acoustics simulations", DAFx-15.
#pragma once

#include <vector>

#include "stencils/stencil.hpp"

namespace fdtd {

// The last shells q of the family's members.
const std::vector<Shell>& box_members();
// Shells (1,0,0), (1,1,0), ... up to and including `last`.
std::vector<Shell> box_shells(Shell last);
// All box entries of the catalogue, q by q, the textbook one first.
std::vector<Stencil> box_stencils();

}  // namespace fdtd
