// Between two levels whose nodes coincide at even indices: full weighting, the transpose of trilinear interpolation (27
// weights 1, 1/2, 1/4 and 1/8), and interpolation itself.
#pragma once

#include <vector>

#include "engine/multigrid/node_grid.hpp"

namespace fdtd::multigrid {

// Node (x, y, z) of the coarse grid is node (2x, 2y, 2z) of the fine one, which may end before it.
void restrict_residual(const NodeGrid& fine, const std::vector<float>& r, const NodeGrid& coarse,
                       std::vector<float>& b);
void restrict_sums(const NodeGrid& fine, const std::vector<double>& from, const NodeGrid& coarse,
                   std::vector<double>& to);
// u += P e where `inverse` is not 0.
void prolong_and_add(const NodeGrid& coarse, const std::vector<float>& e, const NodeGrid& fine,
                     const std::vector<float>& inverse, std::vector<float>& u);

}  // namespace fdtd::multigrid
