// Masses, passages and node weights of cut voxels for which an operator on them stays within the bounds of its interior,
// whatever the voxels' fractions (docs/explanation/walls.md, section 6).
//
// Along an axis let w be the passages, phi >= 0 weights of nodes, G the differences (G u)_e = u_(i+1) - u_i over open
// passages e = (i, i+1), B = G Phi G^T and, with the interior's P(x) = x q(x),
//   K = M^-1 G^T (W^(1/2) q(W^(-1/2) B W^(-1/2)) W^(1/2) + b G diag(rho) G^T) G,  b = max(0, q'(0)),
// rho >= 0 the second differences that phi leaves out at the ends of runs.
// C1: phi_i <= both open passages of i.  C2: 4 M - G^T diag(e) G >= 0 along every run (cut_run.hpp),
// e = (first w + rest w' + 2 b (rho_i + rho_j))/whole, w' = min(w, (phi_i + phi_j)/2), with q(x) <= first + rest x/4 on
// [0, 4] (axis_bounds.hpp). Then 0 <= K <= 4 whole in the inner product of M.
#pragma once

#include <array>

#include "engine/plan/voxels.hpp"
#include "engine/walls/cut/axis_bounds.hpp"
#include "engine/walls/cut/cut_weights.hpp"

namespace fdtd {

// Nodes short of mass are lent some by neighbours with more than they need, along the wall's normal, where a wave's
// velocity is 0; where that does not suffice, the weights of long legs become 0 there, and passages smaller. The mass of
// all nodes together does not change. The result does not depend on the number of threads. Throws Error (status
// numerical) if C1 or C2 does not hold in the end.
SecuredCut secure(const AirMask& air, const CutVoxels& cut, const std::array<AxisBound, 3>& bounds);

Violation violation(const AirMask& air, const SecuredCut& cut, const std::array<AxisBound, 3>& bounds);

}  // namespace fdtd
