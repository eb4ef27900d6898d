#include "engine/cuda/field/weights.hpp"

#include <algorithm>
#include <bit>
#include <functional>

namespace fdtd::cuda {

std::optional<StarWeights> star_weights(const GridStencil& stencil) {
  StarWeights star;
  star.centre = stencil.centre;
  for (const Term& term : stencil.terms) {
    int axis = -1;
    for (int d = 0; d < 3; ++d) {
      if (term.offset[static_cast<std::size_t>(d)] == 0) continue;
      if (axis >= 0) return std::nullopt;
      axis = d;
    }
    if (axis < 0) return std::nullopt;
    const int m = term.offset[static_cast<std::size_t>(axis)];
    if (m > max_star) return std::nullopt;
    star.weight[static_cast<std::size_t>(axis)][static_cast<std::size_t>(m - 1)] += term.weight;
    star.radius = std::max(star.radius, m);
  }
  return star.radius > 0 ? std::optional(star) : std::nullopt;
}

std::optional<CubeWeights> cube_weights(const GridStencil& stencil) {
  CubeWeights cube;
  const auto at = [&](const std::array<int, 3>& q) -> double& {
    return cube.weight[static_cast<std::size_t>(q[0])][static_cast<std::size_t>(q[1])][static_cast<std::size_t>(q[2])];
  };
  std::array<int, 35> seen{};
  at({0, 0, 0}) = stencil.centre;
  cube.shells = shell_bit(0, 0, 0);
  for (const Term& term : stencil.terms) {
    std::array<int, 3> q = term.offset;
    std::sort(q.begin(), q.end(), std::greater<>());
    if (q[0] > max_cube) return std::nullopt;
    cube.radius = std::max(cube.radius, q[0]);
    const std::uint64_t bit = shell_bit(q[0], q[1], q[2]);
    if ((cube.shells & bit) != 0 && at(q) != term.weight) return std::nullopt;
    cube.shells |= bit;
    at(q) = term.weight;
    seen[static_cast<std::size_t>(shell_number(q[0], q[1], q[2]))] += image_count(term);
  }
  // Every shell whole: all its points, each once.
  for (int a = 1; a <= cube.radius; ++a)
    for (int b = 0; b <= a; ++b)
      for (int c = 0; c <= b; ++c) {
        if ((cube.shells & shell_bit(a, b, c)) == 0) continue;
        if (seen[static_cast<std::size_t>(shell_number(a, b, c))] != point_count(Shell{a, b, c})) return std::nullopt;
      }
  return cube.radius > 0 ? std::optional(cube) : std::nullopt;
}

}  // namespace fdtd::cuda
