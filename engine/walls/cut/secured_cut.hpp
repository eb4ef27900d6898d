// Masses, passages and node weights of cut voxels for which an operator on them stays within the bounds of its interior,
// whatever the voxels' shares (docs/explanation/walls.md, section 6).
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
#include <cstdint>
#include <vector>

#include "engine/plan/voxels.hpp"
#include "engine/walls/cut/axis_bounds.hpp"

namespace fdtd {

struct NodeShare {
  std::uint64_t node = 0;
  double share = 1.0;
};

// A share of a node's wall area that a neighbour takes.
struct MovedWall {
  std::uint64_t from = 0, to = 0;
  double share = 0.0;
};

struct SecuredCut {
  std::vector<NodeShare> masses;                   // m_i that are not 1, by node
  std::array<std::vector<NodeShare>, 3> passages;  // w of (i, i+1) that are not 1, by axis and node
  std::array<std::vector<NodeShare>, 3> weights;   // phi_i that are not 1
  std::array<std::vector<NodeShare>, 3> ends;      // rho_i that are not 0
  std::vector<CutLink> links;                      // as of the room; none where the bounds have none
  // Of nodes that have borrowed mass, to its lenders, in the proportion of the masses; by `from`, then `to`.
  std::vector<MovedWall> moved;
};

// Nodes short of mass are lent some by neighbours with more than they need, along the wall's normal, where a wave's
// velocity is 0; where that does not suffice, the weights of long legs become 0 there, and passages smaller. The mass of
// all nodes together does not change. The result does not depend on the number of threads. Throws Error (status
// numerical) if C1 or C2 does not hold in the end.
SecuredCut secure(const AirMask& air, const CutVoxels& cut, const std::array<AxisBound, 3>& bounds);

struct Violation {
  double passages = 0.0;  // C1: the largest of phi_i - w over open passages, <= 0 where it holds
  double masses = 0.0;    // C2: the largest share of their mass that the nodes of a run lack, 0 where it holds
};
Violation violation(const AirMask& air, const SecuredCut& cut, const std::array<AxisBound, 3>& bounds);

}  // namespace fdtd
