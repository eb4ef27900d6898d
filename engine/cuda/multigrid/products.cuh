// The sum of products of two arrays, each block's part: the same bits every time.
#pragma once

#include <cstdint>

#include "engine/cuda/gpu/reduce.cuh"

namespace fdtd::cuda {

// In `sums`, one a block; to be launched with `threads` threads a block. The products are in f64.
template <int threads, class A, class B>
__global__ void __launch_bounds__(threads)
    products(const A* __restrict__ a, const B* __restrict__ b, std::int64_t count, double* __restrict__ sums) {
  double sum = 0.0;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x; i < count;
       i += static_cast<std::int64_t>(gridDim.x) * threads)
    sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  const double all = block_sum<threads>(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = all;
}

}  // namespace fdtd::cuda
