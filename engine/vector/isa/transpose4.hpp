// Transposes four neighbours along x of a vector of nodes in as many rows into four columns, and back. Walls across x
// load and store them this way; gathering them one by one would take one instruction a value.
#pragma once

#include "engine/vector/isa/simd.hpp"

namespace fdtd::cpu {
namespace {

template <class T>
struct Transpose4 {
  using L = Simd<T, T>;
  using V = typename L::V;
  static constexpr int n = static_cast<int>(L::n);
  static constexpr bool possible = n >= 4;  // a vector consists of whole quads
  typedef T Quad __attribute__((vector_size(4 * sizeof(T))));

  // columns[j], lane l: p[at[l] + j].
  static FDTD_INLINE void load(const T* p, const std::int32_t* at, V* columns) {
    for (int i = 0; i < 4; ++i) columns[i] = rows<0, n / 4>(p, at + i);
    transpose(columns);
  }
  static FDTD_INLINE void store(T* p, const std::int32_t* at, V* columns) {
    transpose(columns);
    asm("" : "+r"(at));  // reload the offsets: registers are too few to keep them since load()
    for (int i = 0; i < 4; ++i) {
      T values[n];
      L::store(values, columns[i]);
#pragma GCC unroll 4
      for (int q = 0; q < n / 4; ++q) __builtin_memcpy(p + at[4 * q + i], values + 4 * q, sizeof(Quad));
    }
  }

  // Value i of quad q of vector j becomes value j of quad q of vector i.
  static FDTD_INLINE void transpose(V* v) {
    using Lane = std::make_index_sequence<static_cast<std::size_t>(n)>;
    const V low01 = zip<0, 1>(v[0], v[1], Lane()), low23 = zip<0, 1>(v[2], v[3], Lane());
    const V high01 = zip<2, 3>(v[0], v[1], Lane()), high23 = zip<2, 3>(v[2], v[3], Lane());
    v[0] = pairs<0>(low01, low23, Lane());
    v[1] = pairs<2>(low01, low23, Lane());
    v[2] = pairs<0>(high01, high23, Lane());
    v[3] = pairs<2>(high01, high23, Lane());
  }

 private:
  // Quads of `Count` rows at[0], at[4], ... from the First-th, one after another.
  template <int First, int Count>
  static FDTD_INLINE auto rows(const T* p, const std::int32_t* at) {
    if constexpr (Count == 1) {
      Quad quad;
      __builtin_memcpy(&quad, p + at[4 * First], sizeof(quad));
      return quad;
    } else {
      return joined(rows<First, Count / 2>(p, at), rows<First + Count / 2, Count / 2>(p, at),
                    std::make_index_sequence<static_cast<std::size_t>(4 * Count)>());
    }
  }
  template <class H, std::size_t... Lane>
  static FDTD_INLINE auto joined(H a, H b, std::index_sequence<Lane...>) {
    return __builtin_shufflevector(a, b, static_cast<int>(Lane)...);
  }
  // In every quad of lanes: a, b at A, then at B.
  template <int A, int B, std::size_t... Lane>
  static FDTD_INLINE V zip(V a, V b, std::index_sequence<Lane...>) {
    return __builtin_shufflevector(
        a, b, (static_cast<int>(Lane / 4 * 4) + (Lane % 4 < 2 ? A : B) + (Lane % 2 == 1 ? n : 0))...);
  }
  // In every quad of lanes: a at A and A + 1, then b there.
  template <int A, std::size_t... Lane>
  static FDTD_INLINE V pairs(V a, V b, std::index_sequence<Lane...>) {
    return __builtin_shufflevector(a, b, (static_cast<int>(Lane / 4 * 4 + Lane % 2) + A + (Lane % 4 < 2 ? 0 : n))...);
  }
};

}  // namespace
}  // namespace fdtd::cpu
