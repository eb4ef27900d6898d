// K = 2 - S as a sum of squares over small cubes: what makes a stencil stable beside walls of any shape.
//
// A Gram block is a symmetric matrix B on the nodes of a cube of n^3 voxels, 0 <= B <= 4 / n^3, with B 1 = 0, whose entries
// between nodes a distance l apart sum to the weight of K at l, for every l. Then K is the sum of B over all positions of
// the cube. walls_block.cpp clips and fills the cubes at walls; the two bounds carry over to any room (numerics: 3.4; the
// upper one, which 3.4 leaves to experience, is imposed here).
#pragma once

#include <memory>
#include <vector>

#include "stencils/stencil.hpp"

namespace fdtd {

struct GramBlock {
  int side = 0;                // voxels along an edge of the cube: radius + 1, or a few more where that has no block
  std::vector<double> matrix;  // side^3 x side^3, nodes numbered x + side (y + side z)
  double lowest = 0.0;         // extreme eigenvalues times side^3, the constant left out: within [0, 4]
  double highest = 0.0;        // but for rounding (1e-11)
};

// By alternating projections between matrices with the stencil's sums and matrices within the bounds (J. von Neumann;
// L. M. Bregman 1965), in the coordinates that the cube's 48 symmetries leave: milliseconds to a second. Kept in memory for
// the next call. Throws Error (status scene) when none is found or the stencil's axes differ.
std::shared_ptr<const GramBlock> gram_block(const GridStencil& stencil);

}  // namespace fdtd
