// Functions that run on the GPU and, in tests, on the host.
#pragma once

#include <cmath>

#ifdef __CUDACC__
#define FDTD_HOST_DEVICE __host__ __device__ inline
#else
#define FDTD_HOST_DEVICE inline
#endif
#ifdef __CUDA_ARCH__
#define FDTD_UNROLL _Pragma("unroll")
#define FDTD_UNROLL_4 _Pragma("unroll 4")
#else
#define FDTD_UNROLL
#define FDTD_UNROLL_4
#endif

namespace fdtd::cuda {

// a b + c in one rounding, wherever the compiler would be free to choose: kernels that must agree to the bit use it.
FDTD_HOST_DEVICE float fused(float a, float b, float c) { return std::fma(a, b, c); }
FDTD_HOST_DEVICE double fused(double a, double b, double c) { return std::fma(a, b, c); }

// a b rounded, never part of a sum's rounding: for the same reason.
FDTD_HOST_DEVICE float product(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fmul_rn(a, b);
#else
  return a * b;
#endif
}
FDTD_HOST_DEVICE double product(double a, double b) {
#ifdef __CUDA_ARCH__
  return __dmul_rn(a, b);
#else
  return a * b;
#endif
}

}  // namespace fdtd::cuda
