// Which GPU architectures the program was compiled for. For .cu files alone.
#pragma once

#include <algorithm>
#include <iterator>

namespace fdtd::cuda {

// Of `capability` (10 major + minor): does the code that such a GPU runs know the features of 9.0, tensor copies and
// dependent launches? A GPU runs code made for its own generation, at most as new as itself; else what its driver makes
// of the newest PTX that is no newer. Code for 8.0 leaves those features out.
constexpr bool has_code_of_90(int capability) {
#ifdef FDTD_PTX
  constexpr int ptx = FDTD_PTX;  // of the newest PTX in the program, 90; from CMake, because nvcc does not name it
#else
  constexpr int ptx = 0;
#endif
  constexpr int architectures[] = {__CUDA_ARCH_LIST__};  // nvcc's: 800, 900
  const bool own = std::any_of(std::begin(architectures), std::end(architectures), [&](int one) {
    return one >= 900 && one / 100 == capability / 10 && one / 10 <= capability;
  });
  return own || (ptx >= 90 && ptx <= capability);
}

}  // namespace fdtd::cuda
