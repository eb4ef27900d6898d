// Steady potential flow through a network: nodes, links with conductances, and some nodes whose potential is given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fdtd {

struct FlowNetwork {
  struct Link {
    std::uint32_t from = 0, to = 0;
    double conductance = 0.0;
  };
  std::vector<double> potential;
  std::vector<char> given;  // whether it is given, of each node
  std::vector<Link> links;

  // Sets the potentials of all other nodes, by conjugate gradients scaled by the diagonal. Nodes without a way to a given
  // one keep theirs.
  void solve(double tolerance = 1e-6, int most_rounds = 2000);
};

}  // namespace fdtd
