// Compact stencils S_R: every point of the grid with |l|^2 <= R, the nearest first. R = 1 (7 points) to 22 (461).
// B. Hamilton, C. J. Webb, A. Gray, S. Bilbao, "Large stencil operations for GPU-based 3-D acoustics simulations",
// DAFx-15.
#pragma once

#include <vector>

#include "stencils/stencil.hpp"

namespace fdtd {

// The values of R that add points: 1, 2, 3, 4, 5, 6, 8, ..., 22.
const std::vector<int>& compact_members();
// Shells with q.q <= R, by distance, then lexicographically.
std::vector<Shell> compact_shells(int R);
// All compact entries of the catalogue, R by R, the textbook one first.
const std::vector<Stencil>& compact_stencils();

}  // namespace fdtd
