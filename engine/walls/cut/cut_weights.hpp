// Masses, passages and weights of cut voxels (secured_cut.hpp), and by how much they miss the bounds C1 and C2.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/plan/voxels.hpp"

namespace fdtd {

struct NodeFraction {
  std::uint64_t node = 0;
  double fraction = 1.0;
};

// A fraction of a node's wall area that a neighbour takes.
struct MovedWall {
  std::uint64_t from = 0, to = 0;
  double fraction = 0.0;
};

struct SecuredCut {
  std::vector<NodeFraction> masses;                   // m_i that are not 1, by node
  std::array<std::vector<NodeFraction>, 3> passages;  // w of (i, i+1) that are not 1, by axis and node
  std::array<std::vector<NodeFraction>, 3> weights;   // phi_i that are not 1
  std::array<std::vector<NodeFraction>, 3> ends;      // rho_i that are not 0
  std::vector<CutLink> links;                         // as of the room; none where the bounds have none
  // Of nodes that have borrowed mass, to its lenders, in the proportion of the masses; by `from`, then `to`.
  std::vector<MovedWall> moved;
};

struct Violation {
  double passages = 0.0;  // C1: the largest of phi_i - w over open passages, <= 0 where it holds
  double masses = 0.0;    // C2: the largest fraction of their mass that the nodes of a run lack, 0 where it holds
};

}  // namespace fdtd
