// The weights of stencils with the cube's symmetries, as kernels take them: one a shell.
#pragma once

#include "stencils/weights.hpp"

namespace fdtd::cuda {

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
