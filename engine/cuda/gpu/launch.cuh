// Helpers around a __global__ function: its resources, its limit of shared memory, its value type. For .cu files alone.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/cuda/gpu/check.cuh"
#include "engine/cuda/gpu/resources.hpp"
#include "stencils/precision.hpp"

namespace fdtd::cuda {

constexpr int divide_up(int a, int b) { return (a + b - 1) / b; }

// Lets a kernel take so many bytes of dynamic shared memory a block from here on.
inline cudaError_t allow_shared_bytes(const void* function, std::size_t dynamic) {
  cudaFuncAttributes attributes{};
  const cudaError_t error = cudaFuncGetAttributes(&attributes, function);
  if (error != cudaSuccess) return error;
  const auto limit = static_cast<std::size_t>(attributes.maxDynamicSharedSizeBytes);
  const std::size_t raised = raised_shared_limit(limit, dynamic);
  if (raised == limit) return cudaSuccess;
  return cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(raised));
}

// Registers, spills and occupancy of a kernel with `threads` threads and `dynamic` bytes of dynamic shared memory,
// which it may take from here on.
template <class Function>
Resources resources_of(Function* kernel, int threads, std::size_t dynamic = 0) {
  const void* const function = reinterpret_cast<const void*>(kernel);
  FDTD_CUDA(allow_shared_bytes(function, dynamic));
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

// Calls function(T{}) with the job's value type.
template <class Function>
auto with_value_type(Precision precision, const Function& function) {
  return precision == Precision::f32 ? function(float{}) : function(double{});
}

}  // namespace fdtd::cuda
