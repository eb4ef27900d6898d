// Which GPU architectures the program was compiled for. For .cu files alone.
#pragma once

#include <algorithm>
#include <iterator>

namespace fdtd::cuda {

// Was the program compiled for GPUs of compute capability `major`.x? On newer GPUs the driver compiles our PTX at run
// time, and the features of sm_90 (tensor copies, dependent launches) are then off.
inline bool has_code_for(int major) {
  constexpr int architectures[] = {__CUDA_ARCH_LIST__};  // nvcc's: 800, 900
  return std::any_of(std::begin(architectures), std::end(architectures), [&](int one) { return one / 100 == major; });
}

}  // namespace fdtd::cuda
