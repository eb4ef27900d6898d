// Weights of a GridStencil as kernels of both backends take them: leggy by axis and distance, cubic families by shell.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "stencils/shells.hpp"
#include "stencils/stencil.hpp"

namespace fdtd {

// S u = centre u + sum over axes d and m = 1..M of weight[d][m - 1] (u(+m) + u(-m)).
struct StarWeights {
  int radius = 0;
  double centre = 0.0;
  std::array<std::array<double, max_legs>, 3> weight{};
};

// Nothing unless every term lies on an axis and the radius is at most max_legs.
std::optional<StarWeights> star_weights(const GridStencil& stencil);

// S u = sum over shells (a >= b >= c >= 0) of a weight times the sum of u over the shell's points; (0, 0, 0) is the
// centre. A bit of `shells` a shell: shell_bit(a, b, c).
struct CubeWeights {
  int radius = 0;
  std::uint64_t shells = 0;                     // the centre's bit always set
  std::array<double, shell_count> by_number{};  // by shell_number; 0 for shells that the stencil lacks
  // Of the shell of (a, b, c), in any order, coordinates 0..max_shell_radius.
  double weight(int a, int b, int c) const { return by_number[static_cast<std::size_t>(shell_of(a, b, c))]; }
};

constexpr std::uint64_t shell_bit(int a, int b, int c) { return std::uint64_t{1} << shell_number(a, b, c); }

// Nothing unless the weights have the cube's 48 symmetries and the radius is at most max_shell_radius.
std::optional<CubeWeights> cube_weights(const GridStencil& stencil);

}  // namespace fdtd
