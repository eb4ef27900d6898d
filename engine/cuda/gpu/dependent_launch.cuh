// Launches that come close behind each other (programmatic dependent launch, sm_90): a launch's blocks take their places as
// those of the one before leave them, and wait there until the other is done, each before it touches what others have
// written since the launch before that one. For .cu files alone.
#pragma once

#include <utility>

#include "engine/cuda/gpu/check.cuh"
#include "engine/cuda/gpu/compiled_archs.cuh"

namespace fdtd::cuda {

inline bool can_launch_close() {
  static const bool can = [] {
    int device = 0, major = 0;
    return cudaGetDevice(&device) == cudaSuccess &&
           cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess && major >= 9 &&
           has_code_for(major);
  }();
  return can;
}

// Where the GPU cannot, it begins when the launch before it is done.
template <class... Parameters, class... Arguments>
void launch_close(void (*kernel)(Parameters...), unsigned blocks, unsigned threads, std::size_t shared,
                  cudaStream_t stream, Arguments&&... arguments) {
  cudaLaunchAttribute close{};
  close.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  close.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = threads;
  config.dynamicSmemBytes = shared;
  config.stream = stream;
  config.attrs = &close;
  config.numAttrs = can_launch_close() ? 1 : 0;
  FDTD_CUDA(cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...));
}

// What a thread of such a kernel does before it reads or writes what the launch before reads or writes.
__device__ __forceinline__ void wait_for_launch_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// The next launch's blocks may come when all of this one's have come here, or ended. Walls let the march come, whose blocks then
// set up their rings; the march lets nobody come early: blocks of walls that waited beside it cost box-222 a fifth of its rate
// in a small room. And faces (faces.cu) rely on it: what they read before they wait is that of the step before, which the
// march has waited for.
__device__ __forceinline__ void let_next_launch_come() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

}  // namespace fdtd::cuda
