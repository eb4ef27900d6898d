// K = 2 - S as a sum of squares over small cubes: the basis of stability at walls of any shape.
//
// A Gram block is a symmetric matrix B on the nodes of a cube of n^3 voxels, 0 <= B <= 4 / n^3, with B 1 = 0, whose
// entries between nodes at a distance l sum to the weight of K at l, for every l. Then K is the sum of B over all
// positions of the cube. block.cpp clips and fills the cubes at walls; both bounds then hold in any room
// (docs/explanation/walls.md, section 5).
#pragma once

#include <memory>
#include <vector>

#include "stencils/stencil.hpp"

namespace fdtd {

struct GramBlock {
  int side = 0;                // voxels along an edge of the cube: radius + 1, or more where no such block exists
  std::vector<double> matrix;  // side^3 x side^3, nodes numbered x + side (y + side z)
  double lowest = 0.0;         // extreme eigenvalues times side^3, without that of the constant: in [0, 4]
  double highest = 0.0;        // up to rounding (1e-11)
};

// Finds a Gram block by alternating projections between matrices with the stencil's sums and matrices within the bounds
// (J. von Neumann; L. M. Bregman 1965), in coordinates reduced by the cube's 48 symmetries, in milliseconds to a
// second. Cached in memory. Throws Error (status scene) when none is found or the stencil's axes differ.
std::shared_ptr<const GramBlock> gram_block(const GridStencil& stencil);

}  // namespace fdtd
