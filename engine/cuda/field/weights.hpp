// A GridStencil's weights as the shaped kernels take them: leggy by axis and distance, the cubic families by shell.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "stencils/stencil.hpp"

namespace fdtd::cuda {

inline constexpr int max_star = 20;  // M
inline constexpr int max_cube = 4;   // radius of the cubic families' members

// S u = centre u + sum over axes d and m = 1..M of weight[d][m - 1] (u(+m) + u(-m)).
struct StarWeights {
  int radius = 0;
  double centre = 0.0;
  std::array<std::array<double, max_star>, 3> weight{};
};

// Nothing unless every term lies on an axis and the radius is at most max_star.
std::optional<StarWeights> star_weights(const GridStencil& stencil);

// S u = sum over shells (a >= b >= c >= 0) of weight[a][b][c] times the sum of u over the shell's points; (0, 0, 0) is
// the centre. A bit of `shells` a shell: shell_bit(a, b, c).
struct CubeWeights {
  int radius = 0;
  std::uint64_t shells = 0;  // the centre's bit always set
  std::array<std::array<std::array<double, max_cube + 1>, max_cube + 1>, max_cube + 1> weight{};
};

// Number of (a, b, c), a >= b >= c, before (a, b, c) in lexicographic order: 0 for the centre, 34 for (4, 4, 4).
constexpr int shell_number(int a, int b, int c) { return a * (a + 1) * (a + 2) / 6 + b * (b + 1) / 2 + c; }
constexpr std::uint64_t shell_bit(int a, int b, int c) { return std::uint64_t{1} << shell_number(a, b, c); }

// Nothing unless the weights have the cube's 48 symmetries and the radius is at most max_cube.
std::optional<CubeWeights> cube_weights(const GridStencil& stencil);

}  // namespace fdtd::cuda
