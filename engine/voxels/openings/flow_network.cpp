#include "engine/voxels/openings/flow_network.hpp"

namespace fdtd {

void FlowNetwork::solve(double tolerance, int max_rounds) {
  const std::size_t count = potential.size();
  std::vector<double> diagonal(count), residual(count), way(count), image;
  for (const Link& one : links) {
    const double flow = one.conductance * (potential[one.to] - potential[one.from]);
    residual[one.from] += flow;
    residual[one.to] -= flow;
    diagonal[one.from] += one.conductance;
    diagonal[one.to] += one.conductance;
  }
  const auto scaled = [&](std::size_t i) {
    return given[i] != 0 || !(diagonal[i] > 0.0) ? 0.0 : residual[i] / diagonal[i];
  };
  double product = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    way[i] = scaled(i);
    product += residual[i] * way[i];
  }
  const double start = product;
  for (int round = 0; round < max_rounds && product > tolerance * tolerance * start; ++round) {
    image.assign(count, 0.0);
    for (const Link& one : links) {
      const double flow = one.conductance * (way[one.from] - way[one.to]);
      image[one.from] += flow;
      image[one.to] -= flow;
    }
    double energy = 0.0;
    for (std::size_t i = 0; i < count; ++i) energy += way[i] * image[i];
    if (!(energy > 0.0)) return;
    const double step = product / energy;
    for (std::size_t i = 0; i < count; ++i) {
      if (given[i] != 0) continue;
      potential[i] += step * way[i];
      residual[i] -= step * image[i];
    }
    double next = 0.0;
    for (std::size_t i = 0; i < count; ++i) next += residual[i] * scaled(i);
    const double turn = next / product;
    for (std::size_t i = 0; i < count; ++i) way[i] = scaled(i) + turn * way[i];
    product = next;
  }
}

double FlowNetwork::through(const std::vector<std::size_t>& between, const std::vector<std::uint8_t>& side) const {
  double sum = 0.0;
  for (const std::size_t l : between) {
    const Link& one = links[l];
    const double drop = potential[one.from] - potential[one.to];
    sum += one.conductance * (side[one.from] == 0 ? drop : -drop);
  }
  return sum;
}

}  // namespace fdtd
