// The symmetrised fold beside re-entrant walls, where folding along x and folding along y do not commute.
//
// On any voxel mask the folded operator is a polynomial in three symmetric contractions X_x, X_y, X_z, one an axis,
//   S = g_0 + sum over shells and permutations p of g_p times the average, over the orders of its axes, of the product
//   of 2 T_m(X_d), m = p_d > 0,
// where T_m is Chebyshev's polynomial; the symbol is its value on commuting ones, X_d = cos k_d. The weights are
// stable on every mask if -2 <= S <= 2 over all triples of contractions. That is proven by a moment SDP
// (stencils/design/certificate.py), and a wrong claim is refuted by a triple of 2x2 matrices that the search here
// finds.
#pragma once

#include "stencils/stencil.hpp"

namespace fdtd {

struct FoldedRange {
  double min = 0.0, max = 0.0;
};

// Smallest and largest eigenvalue of S over triples of 2x2 contractions, found by deterministic local searches from
// `starts` pseudo-random triples. An inner bound: the range over all masks is at least this wide.
FoldedRange searched_folded_range(const Stencil& stencil, int starts = 32);

}  // namespace fdtd
