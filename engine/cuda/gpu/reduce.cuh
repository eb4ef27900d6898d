// Sums of a warp and of a block in a fixed order: the same bits every time.
#pragma once

#include <cuda_runtime.h>

namespace fdtd::cuda {

// In lane 0.
__device__ inline double warp_sum(double value) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xFFFFFFFFU, value, step);
  return value;
}

// Threads that work together: those of a block. BlockPart (many_steps/block_part.cuh) is the other kind.
struct WholeBlock {
  __device__ __forceinline__ unsigned number() const { return threadIdx.x; }
  __device__ __forceinline__ void sync() const { __syncthreads(); }
};

// In thread 0. All `threads` threads must come here; a second time only past a barrier.
template <int threads, class Together>
__device__ double sum_of(const Together& together, double value, double (&of_warp)[threads / 32]) {
  value = warp_sum(value);
  if (threadIdx.x % 32 == 0) of_warp[together.number() / 32] = value;
  together.sync();
  double sum = 0.0;
  if (together.number() == 0)
    for (int w = 0; w < threads / 32; ++w) sum += of_warp[w];
  return sum;
}

// The same of a block.
template <int threads>
__device__ double block_sum(double value) {
  __shared__ double of_warp[threads / 32];
  return sum_of<threads>(WholeBlock{}, value, of_warp);
}

}  // namespace fdtd::cuda
