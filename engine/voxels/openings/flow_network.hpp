// Steady potential flow through a network: nodes, links with conductances, and some nodes whose potential is given.
#pragma once

#include <array>
#include <cmath>
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
  void solve(double tolerance = 1e-6, int max_rounds = 2000);
  // The flow through the links numbered `between`, from nodes of side 0 to those of side 1.
  double through(const std::vector<std::size_t>& between, const std::vector<std::uint8_t>& side) const;

  // Where that flow is, in the mean, and its direction, of length 1; place_of(node): its position.
  struct Middle {
    std::array<double, 3> position{}, direction{};
  };
  template <class PlaceOf>
  Middle middle(const std::vector<std::size_t>& between, const std::vector<std::uint8_t>& side,
                const PlaceOf& place_of) const {
    Middle found;
    double sum = 0.0, square = 0.0;
    for (const std::size_t l : between) {
      const bool forward = side[links[l].from] == 0;
      const std::uint32_t first = forward ? links[l].from : links[l].to, second = forward ? links[l].to : links[l].from;
      const double flow = links[l].conductance * std::abs(potential[first] - potential[second]);
      const std::array<double, 3> a = place_of(first), b = place_of(second);
      const double length = std::hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
      for (std::size_t d = 0; d < 3; ++d) {
        found.position[d] += flow * 0.5 * (a[d] + b[d]);
        found.direction[d] += flow * (b[d] - a[d]) / length;
      }
      sum += flow;
    }
    for (std::size_t d = 0; d < 3; ++d) {
      found.position[d] /= sum;
      square += found.direction[d] * found.direction[d];
    }
    for (double& x : found.direction) x /= std::sqrt(square);
    return found;
  }
};

}  // namespace fdtd
