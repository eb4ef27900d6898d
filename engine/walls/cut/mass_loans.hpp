// Mass that cut voxels lend each other, so that runs satisfy their bound (secured_cut.hpp, C2).
#pragma once

#include <vector>

#include "engine/walls/cut/shared_nodes.hpp"

namespace fdtd {

struct Loan {  // by places in the list of nodes
  std::uint32_t borrower, lender;
  double mass;
};

// Nodes short of mass, on runs that break the bound, are lent some by neighbours with more than they need, in proportion
// to the squares of the wall's normal along the axis between them; the weights of long legs become 0 there. Nodes that are
// still short then remain so. Of own borrowers alone, by borrower, then lender.
std::vector<Loan> lend_masses(CutNodes& nodes, SharedNodes& shared);

}  // namespace fdtd
