// Sites of walls that are solved together (plan/coupled_walls.hpp), a vector at a time, and how their nodes are loaded.
// Every way of solving adds up in a fixed order: the same bytes for vectors of any width.
#pragma once

#include "engine/vector/isa/simd.hpp"

namespace fdtd::cpu {
namespace {

enum CoupledConstantOf { of_Q, of_scale, of_loss, of_weight, of_share, of_A_part, of_W_part, of_inertance, of_series };
inline constexpr std::ptrdiff_t coupled_constant_count = 9;

// The formulas of boundary.hpp at `Lanes` sites. `Constants` gives constant(which), rule(branch, part) and E(branch);
// a branch's V lies at `state`, its G Lanes further on, the next branch 2 Lanes further on.
template <class T, int Lanes>
struct CoupledSites {
  typedef T V __attribute__((vector_size(Lanes * sizeof(T))));
  typedef double Doubles __attribute__((vector_size(Lanes * sizeof(double))));
  V reads, force, A, W;

  static FDTD_INLINE V load(const T* at) {
    V v;
    __builtin_memcpy(&v, at, sizeof(V));
    return v;
  }
  static FDTD_INLINE void store(T* at, V v) { __builtin_memcpy(at, &v, sizeof(V)); }

  template <class Constants>
  static FDTD_INLINE V drive(const Constants& of, int b, const T* state) {
    return of.rule(b, 1) * load(state) - of.rule(b, 2) * load(state + Lanes);
  }

  // The force of each site alone, from what its taps read.
  template <class Constants>
  FDTD_INLINE void find_force(const Constants& of, int branches, T inverse_square, const T* q, const T* state) {
    A = W = V{};
    for (int b = 0; b < branches; ++b, state += 2 * Lanes) {
      A += of.rule(b, 0) * drive(of, b, state);
      W += load(state);
    }
    const V known = of.constant(of_weight) * ((of.constant(of_A_part) * A + of.constant(of_W_part) * W) + W);
    const V after = of.constant(of_scale) * (reads + of.constant(of_Q) * load(q)) - of.constant(of_loss) * known;
    force = (reads - after) * inverse_square;
  }

  // With the other walls, whose forces lower what the sites read by `shift`: the force, and a step of the branches.
  template <class Constants>
  FDTD_INLINE void step(const Constants& of, int branches, T square, V shift, const T* q, T* state, Doubles& lost) {
    force -= of.constant(of_share) * shift;
    const V half_moved = (((reads - shift) - square * force) - load(q)) * static_cast<T>(0.5);
    const V p = (half_moved - of.constant(of_inertance) * (A - W)) * of.constant(of_series);
    for (int b = 0; b < branches; ++b, state += 2 * Lanes) {
      const V v = load(state), v_after = of.rule(b, 0) * (drive(of, b, state) + p);
      const V mean = (v_after + v) * static_cast<T>(0.5);
      store(state + Lanes, load(state + Lanes) + mean);
      store(state, v_after);
      lost += of.E(b) * __builtin_convertvector(of.constant(of_weight) * (mean * mean), Doubles);
    }
  }
};

// The eight sites of row r of a wall.
template <class T>
class RowConstants {
 public:
  using Sites = CoupledSites<T, group_lanes>;
  FDTD_INLINE RowConstants(const CoupledWallKind<T>& wall, int r)
      : constants_(wall.constants + r * coupled_constant_count * group_lanes),
        rules_(wall.rules + std::ptrdiff_t{r} * wall.branches * 3 * group_lanes),
        E_(wall.E + std::ptrdiff_t{r} * wall.branches * group_lanes) {}
  FDTD_INLINE typename Sites::V constant(int which) const { return Sites::load(constants_ + which * group_lanes); }
  FDTD_INLINE typename Sites::V rule(int b, int part) const {
    return Sites::load(rules_ + (b * 3 + part) * group_lanes);
  }
  FDTD_INLINE typename Sites::Doubles E(int b) const {
    typename Sites::Doubles E;
    __builtin_memcpy(&E, E_ + b * group_lanes, sizeof E);
    return E;
  }

 private:
  const T *constants_, *rules_;
  const double* E_;
};

// Adds lane l + h to lane l until one remains.
template <std::size_t... Lane, class V>
FDTD_INLINE auto halves_added(V v, std::index_sequence<Lane...>) {
  return __builtin_shufflevector(v, v, static_cast<int>(Lane)...) +
         __builtin_shufflevector(v, v, static_cast<int>(Lane + sizeof...(Lane))...);
}
template <int Lanes, class V>
FDTD_INLINE auto sum_of_lanes(V v) {
  if constexpr (Lanes == 2) {
    return v[0] + v[1];
  } else {
    return sum_of_lanes<Lanes / 2>(halves_added(v, std::make_index_sequence<Lanes / 2>()));
  }
}

// Eight neighbours along x, those of the group alone: others may be under way in another thread. Lanes count inwards:
// against x where step is -1.
template <class T>
class GroupNodes {
 public:
  using V = typename CoupledSites<T, group_lanes>::V;
  // own: one byte a lane, 1 where the node is the group's; null: the first `depth` are.
  FDTD_INLINE GroupNodes(std::ptrdiff_t step, int depth, const std::uint8_t* own)
      : back_(step < 0 ? group_lanes - 1 : 0) {
    std::uint64_t bytes = 0;
    if (own != nullptr) {
      __builtin_memcpy(&bytes, own, sizeof bytes);
      if (depth < group_lanes) bytes &= (std::uint64_t{1} << (8 * depth)) - 1;
    } else {
      bytes = 0x0101010101010101U >> (8 * (group_lanes - depth));
    }
    if (step < 0) bytes = __builtin_bswap64(bytes);
    mask_ = static_cast<unsigned>((bytes * 0x0102040810204080U) >> 56U);
  }
  FDTD_INLINE V load(const T* at) const {
    const T* const p = at - back_;
    V v{};
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == sizeof(float)) {
      v = (V)_mm256_maskz_loadu_ps(static_cast<__mmask8>(mask_), p);
    } else {
      v = (V)_mm512_maskz_loadu_pd(static_cast<__mmask8>(mask_), p);
    }
#else
    if (mask_ == 0xff) {
      __builtin_memcpy(&v, p, sizeof v);
    } else {
      for (int i = 0; i < group_lanes; ++i)
        if ((mask_ >> i & 1U) != 0) v[i] = p[i];
    }
#endif
    return back_ > 0 ? reversed(v) : v;
  }
  FDTD_INLINE void store(T* at, V v) const {
    T* const p = at - back_;
    if (back_ > 0) v = reversed(v);
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == sizeof(float)) {
      _mm256_mask_storeu_ps(p, static_cast<__mmask8>(mask_), (__m256)v);
    } else {
      _mm512_mask_storeu_pd(p, static_cast<__mmask8>(mask_), (__m512d)v);
    }
#else
    if (mask_ == 0xff) {
      __builtin_memcpy(p, &v, sizeof v);
    } else {
      for (int i = 0; i < group_lanes; ++i)
        if ((mask_ >> i & 1U) != 0) p[i] = v[i];
    }
#endif
  }

 private:
  static FDTD_INLINE V reversed(V v) { return __builtin_shufflevector(v, v, 7, 6, 5, 4, 3, 2, 1, 0); }
  std::ptrdiff_t back_;
  unsigned mask_;
};

// Value i of vector j becomes value j of vector i: interleaving halves three times.
template <class V>
FDTD_INLINE void transpose_8(const V* in, V* out) {
  V a[8], b[8];
  const auto interleave = [](const V* from, V* to) {
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      to[2 * i] = __builtin_shufflevector(from[i], from[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
      to[2 * i + 1] = __builtin_shufflevector(from[i], from[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
    }
  };
  interleave(in, a);
  interleave(a, b);
  interleave(b, out);
}

}  // namespace
}  // namespace fdtd::cpu
