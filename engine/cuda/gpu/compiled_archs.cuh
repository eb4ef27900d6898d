// What the program's GPU code was compiled for. For .cu files alone.
#pragma once

#include <algorithm>
#include <iterator>

namespace fdtd::cuda {

// Is there code that was written for GPUs of this generation (compute capability `major`.x)? Newer ones than all of it run what the
// driver makes of older code, without what only newer code asks for: the tensor copy engine, launches close behind each other.
inline bool has_code_for(int major) {
  constexpr int architectures[] = {__CUDA_ARCH_LIST__};  // nvcc's: 800, 900
  return std::any_of(std::begin(architectures), std::end(architectures), [&](int one) { return one / 100 == major; });
}

}  // namespace fdtd::cuda
