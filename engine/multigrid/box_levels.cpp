#include "engine/multigrid/box_levels.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>

#include "engine/multigrid/dense.hpp"

namespace fdtd::multigrid {

std::vector<std::array<int, 3>> box_levels(const std::array<int, 3>& nodes) {
  std::vector<std::array<int, 3>> levels{nodes};
  const auto halves = [](const std::array<int, 3>& n) {
    return std::ranges::all_of(n, [](int one) { return one >= 3 && one % 2 == 1; });
  };
  while (halves(levels.back())) {
    const auto& n = levels.back();
    levels.push_back({(n[0] - 1) / 2, (n[1] - 1) / 2, (n[2] - 1) / 2});
  }
  const auto& last = levels.back();
  if (std::ranges::any_of(nodes, [](int n) { return n < 1; }) ||
      static_cast<std::int64_t>(last[0]) * last[1] * last[2] > 1000)
    throw std::invalid_argument("the grid cannot be halved often enough: use 2^k - 1 nodes along each axis");
  return levels;
}

std::vector<float> box_inverse(const std::array<int, 3>& nodes) {
  const std::size_t count = static_cast<std::size_t>(nodes[0] * nodes[1] * nodes[2]);
  std::vector<std::array<int, 3>> at;
  for (int z = 0; z < nodes[2]; ++z)
    for (int y = 0; y < nodes[1]; ++y)
      for (int x = 0; x < nodes[0]; ++x) at.push_back({x, y, z});
  std::vector<double> matrix(count * count, 0.0);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < count; ++j) {
      int distance = 0;
      for (std::size_t d = 0; d < 3; ++d) {
        const int apart = std::abs(at[i][d] - at[j][d]);
        distance += apart > 1 ? 4 : apart;
      }
      if (distance < 4) matrix[i * count + j] = box_weights[static_cast<std::size_t>(distance)];
    }
  return dense_inverse(matrix, count);
}

SweepWeights smoothing_sweep(double step) {
  SweepWeights sweep;
  sweep.scale = step / box_weights[0];
  for (std::size_t i = 0; i < 4; ++i) sweep.weights[i] = (i == 0 ? 1.0 : 0.0) - sweep.scale * box_weights[i];
  return sweep;
}

std::array<double, 4> first_two_sweeps(double step, double next) {
  const double first = step / box_weights[0], second = next / box_weights[0];
  std::array<double, 4> weights{};
  for (std::size_t i = 0; i < 4; ++i) weights[i] = (i == 0 ? first + second : 0.0) - first * second * box_weights[i];
  return weights;
}

double cycle_bytes(int sweeps) {
  // f32 values are 4 bytes: the first two sweeps read b and write u, each other one reads u and b and writes u.
  const double before = sweeps >= 2 ? 8.0 + 12.0 * (sweeps - 2) : 8.0, after = 12.0 * sweeps;
  const double residual = 8.0 + 0.5, interpolation = 8.0 + 0.5;
  // r = b - A u, with u in f64; the last sweep writes no array but adds to the solution, in f64.
  const double refinement = (8.0 + 4.0 + 4.0) + (8.0 + 8.0 - 4.0);
  return (before + residual + interpolation + after) * 8.0 / 7.0 + refinement;
}

}  // namespace fdtd::multigrid
