// The levels of the Poisson problem -laplace u = f on a box with u = 0 on its walls, on trilinear elements that are
// cubes, as CPU and GPU share them: sizes, 27-point weights and smoothing steps. Of M. Krotkiewski, M. Dabrowski,
// "Efficient 3D stencil computations using CUDA", Parallel Computing 39, 2013, section 8.
//
// A is the stiffness over h: 8/3 at the centre, 0, -1/6 and -1/12 at distances 1, sqrt 2 and sqrt 3 on every level, and
// b = f h^2, lumped. Restriction is half of full weighting's 27 weights (1, 1/2, 1/4, 1/8), as h doubles.
#pragma once

#include <array>
#include <vector>

#include "engine/multigrid/cycle.hpp"

namespace fdtd::multigrid {

inline constexpr std::array<double, 4> box_weights = {8.0 / 3.0, 0.0, -1.0 / 6.0, -1.0 / 12.0};

// Interior nodes of every level, the finest first; each next one has half the cells, as long as all axes have an even
// number of at least 4. Throws std::invalid_argument where the coarsest would have more than 1000 nodes.
std::vector<std::array<int, 3>> box_levels(const std::array<int, 3>& nodes);

// The coarsest level's inverse, row by row.
std::vector<float> box_inverse(const std::array<int, 3>& nodes);

// Weights by distance and that of b of one sweep, u <- W u + scale b.
struct SweepWeights {
  std::array<double, 4> weights{};
  double scale = 0.0;
};
SweepWeights smoothing_sweep(double step);
// Two sweeps from u = 0 in one: u = W b.
std::array<double, 4> first_two_sweeps(double step, double next);

// Bytes per node of the finest level that a V-cycle of `sweeps` before and after moves at least, f32, with its residual
// in f64 and what coarser levels add.
double cycle_bytes(int sweeps);

}  // namespace fdtd::multigrid
