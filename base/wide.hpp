// Loops in the widest registers that this processor has. Every element is computed as alone, without fused products: the
// same numbers on all processors. A loop is written once, as a body, and compiled twice:
//
//   FDTD_INLINE void scale_body(std::size_t n, double* x) { ... }
//   FDTD_WIDE void scale_wide(std::size_t n, double* x) { scale_body(n, x); }
//   (wide_registers() ? scale_wide : scale_body)(n, x);
#pragma once

#if defined(__x86_64__) && defined(__GNUC__)
#define FDTD_WIDE __attribute__((target("avx2")))
#define FDTD_INLINE inline __attribute__((always_inline))
#else
#define FDTD_WIDE
#define FDTD_INLINE inline
#endif

namespace fdtd {

inline bool wide_registers() {
#if defined(__x86_64__) && defined(__GNUC__)
  static const bool wide = __builtin_cpu_supports("avx2") > 0;
  return wide;
#else
  return false;
#endif
}

}  // namespace fdtd
