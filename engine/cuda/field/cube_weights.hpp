// The weights of stencils with the cube's symmetries, as kernels take them: one a shell.
#pragma once

#include <cstdint>

#include "stencils/weights.hpp"

namespace fdtd::cuda {

// The shells of the catalogue's members: a^2 + b^2 + c^2 <= R2; up to (p, q, r) in lexicographic order.
constexpr std::uint64_t compact_shells_up_to(int R2) {
  std::uint64_t shells = 0;
  for (int a = 0; a <= max_shell_radius; ++a)
    for (int b = 0; b <= a; ++b)
      for (int c = 0; c <= b; ++c)
        if (a * a + b * b + c * c <= R2) shells |= shell_bit(a, b, c);
  return shells;
}
constexpr std::uint64_t box_shells_up_to(int p, int q, int r) { return (shell_bit(p, q, r) << 1U) - 1U; }

// One weight a shell, by shell_number: a kernel parameter, so that constant indices are operands of the instructions.
template <class T, int R>
struct ShellWeights {
  T weight[shell_number(R, R, R) + 1];
};

template <class T, int R>
ShellWeights<T, R> shell_weights(const CubeWeights& cube) {
  ShellWeights<T, R> out{};
  for (int a = 0; a <= R; ++a)
    for (int b = 0; b <= a; ++b)
      for (int c = 0; c <= b; ++c) out.weight[shell_number(a, b, c)] = static_cast<T>(cube.weight(a, b, c));
  return out;
}

}  // namespace fdtd::cuda
