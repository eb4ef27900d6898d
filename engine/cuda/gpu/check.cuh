// Every CUDA call is checked: FDTD_CUDA(call) throws Error with what failed and, for the failures that a user can do
// something about (no driver, no memory, a lost device), what to do. For files compiled with the CUDA runtime alone.
#pragma once

#include <cuda_runtime.h>

namespace fdtd::cuda {

[[noreturn]] void fail(cudaError_t error, const char* call);

inline void check(cudaError_t error, const char* call) {
  if (error != cudaSuccess) fail(error, call);
}

}  // namespace fdtd::cuda

#define FDTD_CUDA(call) ::fdtd::cuda::check((call), #call)
