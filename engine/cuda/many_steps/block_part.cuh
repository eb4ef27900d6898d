// A part of a block, of threads that work together. For .cu files alone.
#pragma once

#include <cstdint>

#include "engine/cuda/gpu/tma.cuh"

namespace fdtd::cuda {

// An aligned part, with a barrier in shared memory of so many arrivals: racecheck reports hazards at bar.sync of a part
// of a block even where there are none, so that it would hide true ones (docs/performance/gpu-tried.md).
template <int threads>
class BlockPart {
 public:
  __device__ __forceinline__ explicit BlockPart(std::uint64_t* barrier) : barrier_(barrier) {}
  __device__ __forceinline__ unsigned number() const { return threadIdx.x % threads; }
  __device__ __forceinline__ void sync() const {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    tma::arrive(barrier_);
    tma::wait(barrier_, parity_);
    parity_ ^= 1U;
    __syncwarp();
#endif
  }

 private:
  std::uint64_t* barrier_;
  mutable std::uint32_t parity_ = 0;
};

}  // namespace fdtd::cuda
