// Vectors of an instruction set, for the files of this folder only. These are compiled once an instruction set, and
// everything in them is local: code compiled for AVX-512 must not be linked into functions that run on other
// processors.
//
// Vectors are those of GCC and Clang (vector_size), as wide as the instruction set's registers. The compiler fuses no
// a*b + c by itself (-ffp-contract=off). The sums of stencils fuse explicitly where an instruction exists: AVX2 and
// AVX-512 give the same bytes, the baseline, without such an instruction, differs in the last bits.
#pragma once

#include <utility>

#include "engine/vector/vector_code.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace fdtd::cpu {
namespace {

#if defined(__AVX512F__)
inline constexpr std::size_t vector_bytes = 64;
#elif defined(__AVX2__)
inline constexpr std::size_t vector_bytes = 32;
#else
inline constexpr std::size_t vector_bytes = 16;
#endif
#define FDTD_INLINE inline __attribute__((always_inline))

// A vector of n values of type A, loaded from an array of T (T = A, or T = float and A = double).
template <class T, class A, std::size_t Bytes = vector_bytes>
struct Simd {
 private:
#if defined(__AVX512F__)
  template <class Mask>
  static FDTD_INLINE Mask first_lanes(std::ptrdiff_t count) {
    return static_cast<Mask>((1U << static_cast<unsigned>(count)) - 1U);
  }
#endif
  template <std::size_t... Lane>
  static FDTD_INLINE auto together(const A* p, const std::int32_t* at, std::index_sequence<Lane...>) {
    typedef A Made __attribute__((vector_size(Bytes)));
    return Made{p[at[Lane]]...};
  }

 public:
  static constexpr std::ptrdiff_t n = static_cast<std::ptrdiff_t>(Bytes / sizeof(A));
  typedef A V __attribute__((vector_size(Bytes)));
  typedef T Raw __attribute__((vector_size(Bytes / sizeof(A) * sizeof(T))));

  static FDTD_INLINE V load(const T* p) {
    Raw raw;
    __builtin_memcpy(&raw, p, sizeof(raw));
    if constexpr (sizeof(T) == sizeof(A)) {
      return raw;
    } else {
      return widened(raw);
    }
  }
  // By intrinsics: compilers convert in two halves.
  static FDTD_INLINE V widened(Raw raw) {
#if defined(__AVX512F__)
    if constexpr (Bytes == 64) return (V)_mm512_maskz_cvtps_pd(0xff, (__m256)raw);
#elif defined(__AVX2__)
    if constexpr (Bytes == 32) return (V)_mm256_cvtps_pd((__m128)raw);
#endif
    return __builtin_convertvector(raw, V);
  }
  // The first `count` values, the others zero; no more than `count` are read.
  static FDTD_INLINE V load_some(const A* p, std::ptrdiff_t count) {
    if (count >= n) return load(p);
#if defined(__AVX512F__)
    if constexpr (Bytes == vector_bytes && sizeof(A) == sizeof(float)) {
      return (V)_mm512_maskz_loadu_ps(first_lanes<__mmask16>(count), p);
    } else if constexpr (Bytes == vector_bytes) {
      return (V)_mm512_maskz_loadu_pd(first_lanes<__mmask8>(count), p);
    }
#endif
    A some[n] = {};
    for (std::ptrdiff_t i = 0; i < count; ++i) some[i] = p[i];
    V v;
    __builtin_memcpy(&v, some, sizeof(v));
    return v;
  }
  static FDTD_INLINE void store(A* p, V v) { __builtin_memcpy(p, &v, sizeof(v)); }
  // The first `count` <= n values.
  static FDTD_INLINE void store_some(A* p, V v, std::ptrdiff_t count) {
#if defined(__AVX512F__)
    if constexpr (Bytes == vector_bytes && sizeof(A) == sizeof(float)) {
      _mm512_mask_storeu_ps(p, first_lanes<__mmask16>(count), (__m512)v);
      return;
    } else if constexpr (Bytes == vector_bytes) {
      _mm512_mask_storeu_pd(p, first_lanes<__mmask8>(count), (__m512d)v);
      return;
    }
#endif
    for (std::ptrdiff_t i = 0; i < count; ++i) p[i] = v[i];
  }
  // The lanes of a mask, alone: p[i] to lane i, or back.
  static FDTD_INLINE void load_lanes(const A* p, std::uint32_t lanes, V& v) {
#if defined(__AVX512F__)
    if constexpr (Bytes == vector_bytes && sizeof(A) == sizeof(float)) {
      v = (V)_mm512_mask_loadu_ps((__m512)v, static_cast<__mmask16>(lanes), p);
      return;
    } else if constexpr (Bytes == vector_bytes) {
      v = (V)_mm512_mask_loadu_pd((__m512d)v, static_cast<__mmask8>(lanes), p);
      return;
    }
#endif
    for (std::ptrdiff_t i = 0; i < n; ++i)
      if ((lanes >> i & 1U) != 0) v[i] = p[i];
  }
  static FDTD_INLINE void store_lanes(A* p, std::uint32_t lanes, V v) {
#if defined(__AVX512F__)
    if constexpr (Bytes == vector_bytes && sizeof(A) == sizeof(float)) {
      _mm512_mask_storeu_ps(p, static_cast<__mmask16>(lanes), (__m512)v);
      return;
    } else if constexpr (Bytes == vector_bytes) {
      _mm512_mask_storeu_pd(p, static_cast<__mmask8>(lanes), (__m512d)v);
      return;
    }
#endif
    for (std::ptrdiff_t i = 0; i < n; ++i)
      if ((lanes >> i & 1U) != 0) p[i] = v[i];
  }
  // p[at[i]] in the first min(count, n) lanes, zero in the others. Whole vectors are assembled in registers: gather
  // instructions are slow on some processors, and so is loading a vector that was just stored piece by piece.
  static FDTD_INLINE V gather(const A* p, const std::int32_t* at, std::ptrdiff_t count) {
    if (count >= n) return together(p, at, std::make_index_sequence<static_cast<std::size_t>(n)>());
    A some[n] = {};
    for (std::ptrdiff_t i = 0; i < count; ++i) some[i] = p[at[i]];
    V v;
    __builtin_memcpy(&v, some, sizeof(v));
    return v;
  }
  static FDTD_INLINE void scatter(A* p, const std::int32_t* at, V v, std::ptrdiff_t count) {
    A all[n];
    store(all, v);
    for (std::ptrdiff_t i = 0; i < n && i < count; ++i) p[at[i]] = all[i];
  }
  // a b + c, rounded once where the instruction set has a fused instruction.
  static FDTD_INLINE V fma(A factor, V b, V c) {
    const V a = factor - V{};  // in all lanes
#if defined(__AVX512F__)
    if constexpr (sizeof(A) == sizeof(float)) {
      return (V)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
    } else {
      return (V)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
    }
#elif defined(__AVX2__)
    if constexpr (sizeof(A) == sizeof(float)) {
      return (V)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
    } else {
      return (V)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
    }
#else
    return a * b + c;
#endif
  }
};

// Stores a vector, or the part of it that lies in the row.
template <class L, class Lane>
FDTD_INLINE void put(Lane* to, typename L::V v, std::ptrdiff_t left) {
  if (left >= L::n) {
    L::store(to, v);
  } else {
    L::store_some(to, v, left);
  }
}

// The values `Shift` places after those of `at`, from the vector `at` and the vector after it.
template <class L, int Shift, std::size_t... Lane>
FDTD_INLINE typename L::V shuffled(typename L::V at, typename L::V after, std::index_sequence<Lane...>) {
  return __builtin_shufflevector(at, after, (static_cast<int>(Lane) + Shift)...);
}
template <class L, int Shift>
FDTD_INLINE typename L::V shifted(typename L::V at, typename L::V after) {
  static_assert(Shift >= 0 && Shift <= L::n);
  if constexpr (Shift == 0) {
    return at;
  } else if constexpr (Shift == L::n) {
    return after;
  } else {
#if defined(__AVX512F__)
    if constexpr (L::n == 16) {
      return (typename L::V)_mm512_maskz_alignr_epi32(0xffff, (__m512i)after, (__m512i)at, Shift);
    } else {
      return (typename L::V)_mm512_maskz_alignr_epi64(0xff, (__m512i)after, (__m512i)at, Shift);
    }
#else
    return shuffled<L, Shift>(at, after, std::make_index_sequence<static_cast<std::size_t>(L::n)>());
#endif
  }
}

// Do leggy stencils shift along x in registers? Where a shift takes several shuffles, loads are faster.
#if defined(__AVX512F__)
inline constexpr bool shifts_in_registers = true, broadcasts_in_operands = true, masks_lanes = true;
inline constexpr int planes_together = 4;
#else
inline constexpr bool shifts_in_registers = false, broadcasts_in_operands = false, masks_lanes = false;
inline constexpr int planes_together = 2;  // sixteen registers
#endif

}  // namespace
}  // namespace fdtd::cpu
