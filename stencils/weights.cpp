#include "stencils/weights.hpp"

#include <algorithm>

namespace fdtd {

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
    if (m > max_legs) return std::nullopt;
    star.weight[static_cast<std::size_t>(axis)][static_cast<std::size_t>(m - 1)] += term.weight;
    star.radius = std::max(star.radius, m);
  }
  return star.radius > 0 ? std::optional(star) : std::nullopt;
}

std::optional<CubeWeights> cube_weights(const GridStencil& stencil) {
  CubeWeights cube;
  std::array<int, shell_count> seen{};
  cube.by_number[0] = stencil.centre;
  cube.shells = shell_bit(0, 0, 0);
  for (const Term& term : stencil.terms) {
    const auto [a, b, c] = term.offset;
    const int radius = std::max({a, b, c});
    if (radius > max_shell_radius) return std::nullopt;
    cube.radius = std::max(cube.radius, radius);
    const auto shell = static_cast<std::size_t>(shell_of(a, b, c));
    const std::uint64_t bit = std::uint64_t{1} << shell;
    if ((cube.shells & bit) != 0 && cube.by_number[shell] != term.weight) return std::nullopt;
    cube.shells |= bit;
    cube.by_number[shell] = term.weight;
    seen[shell] += image_count(term);
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

}  // namespace fdtd
