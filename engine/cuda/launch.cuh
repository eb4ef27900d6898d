// What every kernel file needs around its __global__ function. For .cu files alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "engine/cuda/check.cuh"
#include "engine/cuda/kernel.hpp"

namespace fdtd::cuda {

constexpr int divide_up(int a, int b) { return (a + b - 1) / b; }

// Registers, spills and occupancy of a kernel with `threads` threads and `dynamic` bytes of dynamic shared memory, which
// it is allowed to take from here on.
template <class Function>
Resources resources_of(Function* kernel, int threads, std::size_t dynamic = 0) {
  const void* const function = reinterpret_cast<const void*>(kernel);
  if (dynamic > 48 * 1024) {
    FDTD_CUDA(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(dynamic)));
  }
  cudaFuncAttributes attributes{};
  FDTD_CUDA(cudaFuncGetAttributes(&attributes, function));
  Resources resources;
  resources.threads = threads;
  resources.registers = attributes.numRegs;
  resources.local_bytes = static_cast<int>(attributes.localSizeBytes);
  resources.shared_bytes = attributes.sharedSizeBytes + dynamic;
  FDTD_CUDA(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resources.blocks_per_multiprocessor, function, threads, dynamic));
  return resources;
}

// A launch that comes close behind the one before it in the stream: its blocks take their places as those of the other leave
// them, and wait there, each before it touches memory (wait_for_launch_before), until the other is done. Where the GPU cannot,
// it begins when the other is done. (Programmatic dependent launch, sm_90.)
template <class... Parameters, class... Arguments>
void launch_close(void (*kernel)(Parameters...), dim3 blocks, dim3 threads, std::size_t shared, Stream stream,
                  Arguments&&... arguments) {
  static const bool can = [] {
    int device = 0, major = 0;
    return cudaGetDevice(&device) == cudaSuccess &&
           cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess && major >= 9;
  }();
  cudaLaunchAttribute close{};
  close.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  close.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = threads;
  config.dynamicSmemBytes = shared;
  config.stream = stream;
  config.attrs = &close;
  config.numAttrs = can ? 1 : 0;
  FDTD_CUDA(cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...));
}

// What every thread of such a kernel does first, and then before it reads or writes what other launches do. The next launch's
// blocks may come when all of this one have begun.
__device__ __forceinline__ void let_next_launch_come() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
__device__ __forceinline__ void wait_for_launch_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Calls function(T{}) with the job's value type.
template <class Function>
auto with_value_type(Precision precision, const Function& function) {
  return precision == Precision::f32 ? function(float{}) : function(double{});
}

// The distinct points of a stencil as offsets in an array of this layout with their weights, the smallest weights first:
// the partial sums stay small, and 461 points in f32 add as precisely as 7 (centre first, seven times the error).
struct FlatPoint {
  std::int64_t offset;
  double weight;
};
std::vector<FlatPoint> flat_points(const GridStencil& stencil, const Layout& layout);

// The tiles of kernels that read every point from memory or cache, a node a thread (DAFx-15's first), and the bytes of
// reading each.
std::vector<Tile> point_tiles();
double point_bytes(const Job& job);

}  // namespace fdtd::cuda
