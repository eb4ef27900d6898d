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

// In thread 0. All `threads` threads of the block must come here; a second time only past a barrier.
template <int threads>
__device__ double block_sum(double value) {
  __shared__ double of_warp[threads / 32];
  value = warp_sum(value);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  double sum = 0.0;
  if (threadIdx.x == 0)
    for (int w = 0; w < threads / 32; ++w) sum += of_warp[w];
  return sum;
}

}  // namespace fdtd::cuda
