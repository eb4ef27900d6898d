#include "engine/multigrid/cycle.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace fdtd::multigrid {

std::vector<float> smoothing_steps(const Cycle& cycle, double limit) {
  const double low = limit / eigenvalue_ratio, middle = 0.5 * (limit + low), half = 0.5 * (limit - low);
  std::vector<float> steps;
  for (int k = 0; k < cycle.sweeps; ++k) {
    const double angle = std::numbers::pi * (2.0 * k + 1.0) / (2.0 * cycle.sweeps);
    const double root = cycle.smoother == Smoother::jacobi ? middle : middle + half * std::cos(angle);
    steps.push_back(static_cast<float>(1.0 / root));
  }
  return steps;
}

std::array<double, 8> element_stiffness(const std::array<double, 3>& h) {
  std::array<double, 8> stiffness{};
  for (unsigned corner = 0; corner < 8; ++corner)
    for (unsigned d = 0; d < 3; ++d) {  // the derivative along d, mass along the others
      double product = 1.0;
      for (unsigned e = 0; e < 3; ++e) {
        const bool apart = (corner >> e & 1U) != 0;
        product *= e == d ? (apart ? -1.0 : 1.0) / h[e] : (apart ? 1.0 : 2.0) * h[e] / 6.0;
      }
      stiffness[corner] += product;
    }
  return stiffness;
}

double eigenvalue_limit(const std::array<double, 8>& stiffness) {
  double largest = 0.0;
  for (unsigned signs = 0; signs < 8; ++signs) {
    double value = 0.0;
    for (unsigned corner = 0; corner < 8; ++corner)
      value += std::popcount(signs & corner) % 2 == 0 ? stiffness[corner] : -stiffness[corner];
    largest = std::max(largest, value);
  }
  return largest / stiffness[0];
}

}  // namespace fdtd::multigrid
