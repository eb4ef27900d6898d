// Masses, passages and node weights of cut voxels for which an operator on them stays within the bounds of its interior,
// whatever the voxels' shares (docs/explanation/walls.md, section 6).
//
// Along an axis let w be the passages, phi >= 0 weights of nodes, G the differences (G u)_e = u_(i+1) - u_i over open
// passages e = (i, i+1), B = G Phi G^T and, with the interior's P(x) = x q(x),
//   K = M^-1 G^T W^(1/2) q(W^(-1/2) B W^(-1/2)) W^(1/2) G.
// C1: phi_i <= both open passages of i.  C2: m_i >= (e- + e+)/2, e = (first w + rest w')/whole, w' = min(w, (phi_i +
// phi_j)/2), with q(x) <= first + rest x/4 on [0, 4]. Then 0 <= K <= 4 whole in the inner product of M.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "scenes/voxels.hpp"
#include "stencils/stencil.hpp"

namespace fdtd {

struct NodeShare {
  std::uint64_t node = 0;
  double share = 1.0;
};

struct SecuredCut {
  std::vector<NodeShare> masses;                   // m_i that are not 1, by node
  std::array<std::vector<NodeShare>, 3> passages;  // w of (i, i+1) that are not 1, by axis and node
  std::array<std::vector<NodeShare>, 3> weights;   // phi_i that are not 1
};

// Of one axis: C2's numbers. `whole` is the axis's part of the bound; the parts sum to 1.
struct AxisBound {
  double first = 1.0, rest = 0.0, whole = 1.0;
};

// Of a sum over the axes.
std::array<AxisBound, 3> axis_bounds(const GridStencil& stencil);
// Whether whole voxels satisfy C2, first + rest <= whole on all axes, and q >= 0: so for all stencils of the catalogue.
bool within_bounds(const GridStencil& stencil);
// Of products of X_d = 1 - A_d/2, which must be contractions: 4M - L_d >= 0.
inline constexpr std::array<AxisBound, 3> product_bounds{};

// Weights g_m of S, m = 1, 2, ..., along an axis.
std::vector<double> weights_along(const GridStencil& stencil, std::size_t axis);

// Nodes short of mass are lent some by neighbours with more than they need, along the wall's normal, where a wave's
// velocity is 0; where that does not suffice, the weights of long legs become 0 there, and passages smaller. The mass of
// all nodes together does not change. The result does not depend on the number of threads. Throws Error (status
// numerical) if C1 or C2 does not hold in the end.
SecuredCut secure(const AirMask& air, const CutVoxels& cut, const std::array<AxisBound, 3>& bounds);

// The largest of (e- + e+)/2 - m_i over all nodes and axes, and of phi_i - w over their open passages: both <= 0 up to
// rounding where C1 and C2 hold.
struct Violation {
  double passages = 0.0, masses = 0.0;
};
Violation violation(const AirMask& air, const SecuredCut& cut, const std::array<AxisBound, 3>& bounds);

}  // namespace fdtd
