// How tables of weights are indexed: legs up to max_legs, shells (a, b, c), a >= b >= c >= 0, by number.
#pragma once

namespace fdtd {

inline constexpr int max_legs = 20;         // M of the leggy family
inline constexpr int max_shell_radius = 4;  // the largest coordinate of the cubic families' members

// Number of (a, b, c), a >= b >= c, before (a, b, c) in lexicographic order: 0 for the centre, 34 for (4, 4, 4).
constexpr int shell_number(int a, int b, int c) { return a * (a + 1) * (a + 2) / 6 + b * (b + 1) / 2 + c; }

// The same for the shell of a point with coordinates a, b, c >= 0 in any order.
constexpr int shell_of(int a, int b, int c) {
  const int high = a > b ? (a > c ? a : c) : (b > c ? b : c);
  const int low = a < b ? (a < c ? a : c) : (b < c ? b : c);
  return shell_number(high, a + b + c - high - low, low);
}

inline constexpr int shell_count = shell_number(max_shell_radius, max_shell_radius, max_shell_radius) + 1;

}  // namespace fdtd
