// The fractions of an interior's bounds that cut voxels must leave, axis by axis (secured_cut.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "stencils/stencil.hpp"

namespace fdtd {

// Of one axis: q(x) <= first + rest x/4 on [0, 4], where the interior's symbol is P(x) = x q(x). `whole` is the axis's
// part of the bound; the parts sum to 1. `bend`: q'(0) where it is positive, of the second differences of differences.
struct AxisBound {
  double first = 1.0, rest = 0.0, whole = 1.0, bend = 0.0;
  double link = 0.0;  // q(0), of links between nodes on different lines; 0: there are none
};

// Of a sum over the axes.
std::array<AxisBound, 3> axis_bounds(const GridStencil& stencil);
// Whether whole voxels satisfy C2, first + rest <= whole on all axes, and q >= 0: so for all stencils of the catalogue.
bool within_bounds(const GridStencil& stencil);
// Of products of X_d = 1 - A_d/2, which must be contractions: 4M - L_d >= 0.
inline constexpr std::array<AxisBound, 3> product_bounds{};

// Weights g_m of S, m = 1, 2, ..., along an axis.
std::vector<double> weights_along(const GridStencil& stencil, std::size_t axis);

}  // namespace fdtd
