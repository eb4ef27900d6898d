// Programmatic dependent launch (sm_90): the blocks of a kernel start while the previous kernel of the stream drains,
// and wait before they touch data that it writes. For .cu files alone.
#pragma once

#include <utility>

#include "engine/cuda/gpu/check.cuh"
#include "engine/cuda/gpu/compiled_archs.cuh"

namespace fdtd::cuda {

inline bool can_launch_dependent() {
  static const bool can = [] {
    int device = 0, major = 0, minor = 0;
    return cudaGetDevice(&device) == cudaSuccess &&
           cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
           cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) == cudaSuccess &&
           has_code_of_90(10 * major + minor);
  }();
  return can;
}

// On other GPUs the kernel starts when the previous one has ended.
template <class... Parameters, class... Arguments>
void launch_dependent(void (*kernel)(Parameters...), unsigned blocks, unsigned threads, std::size_t shared,
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
  config.numAttrs = can_launch_dependent() ? 1 : 0;
  FDTD_CUDA(cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...));
}

// Waits until the previous kernel has ended: a thread calls it before it touches data that this one reads or writes.
__device__ __forceinline__ void grid_dependency_sync() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Lets the next kernel start once all blocks of this one have called it or have ended. The kernels of walls call it, so
// that the blocks of the next march set up their rings early. The march does not: blocks of walls that waited beside it
// cost box-222 a fifth of its rate in a small room. The kernel `faces` (box_faces.cu) relies on that: what it reads
// before it waits was written in the previous step, whose end the march has waited for.
__device__ __forceinline__ void trigger_launch_completion() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

}  // namespace fdtd::cuda
