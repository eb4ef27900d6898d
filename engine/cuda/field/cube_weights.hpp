// The weights of stencils with the cube's symmetries, as kernels take them: one a shell.
#pragma once

#include "engine/cuda/field/weights.hpp"

namespace fdtd::cuda {

// The shell of a point with coordinates of any order.
constexpr int shell_of(int a, int b, int c) {
  const int high = a > b ? (a > c ? a : c) : (b > c ? b : c);
  const int low = a < b ? (a < c ? a : c) : (b < c ? b : c);
  return shell_number(high, a + b + c - high - low, low);
}

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
      for (int c = 0; c <= b; ++c) {
        const auto at = [](int q) { return static_cast<std::size_t>(q); };
        out.weight[shell_number(a, b, c)] = static_cast<T>(cube.weight[at(a)][at(b)][at(c)]);
      }
  return out;
}

}  // namespace fdtd::cuda
