// The update of sites that are solved together at an edge along y or z, a block of groups at a time: those side by side
// along the edge, whose walls are the same. A vector holds block_lanes lanes of each of block_groups groups, so that
// walls that read two to four nodes fill it. Every lane computes as group by group (coupled_edge.hpp), sums over lanes
// too: the same bytes.
#pragma once

#include "engine/vector/isa/coupled_sites.hpp"

namespace fdtd::cpu {
namespace {

inline constexpr int all_block_lanes = block_groups * block_lanes;

// The place of a lane that takes value `pick` of its group: 0 to 3 of the first vector, 4 to 7 of the second.
constexpr int place_in_group(int lane, int pick) {
  const int first = lane / block_lanes * block_lanes;
  return pick < block_lanes ? first + pick : all_block_lanes + first + pick - block_lanes;
}
constexpr int one_of_four(int lane, int a, int b, int c, int d) {
  const int i = lane % block_lanes;
  return i == 0 ? a : i == 1 ? b : i == 2 ? c : d;
}
// Values A, B, C, D of each group.
template <int A, int B, int C, int D, std::size_t... Lane, class V>
FDTD_INLINE V each_group(V a, V b, std::index_sequence<Lane...>) {
  return __builtin_shufflevector(
      a, b, place_in_group(static_cast<int>(Lane), one_of_four(static_cast<int>(Lane), A, B, C, D))...);
}
template <int A, int B, int C, int D, class V>
FDTD_INLINE V each_group(V a, V b) {
  return each_group<A, B, C, D>(a, b, std::make_index_sequence<all_block_lanes>());
}

// The sum of the lanes of each group, in all of them: in the order of sum_of_lanes of eight lanes of which the last
// four are zero.
template <class V>
FDTD_INLINE V sums_of_groups(V v) {
  const V pairs = v + each_group<2, 3, 0, 1>(v, v);
  return pairs + each_group<1, 0, 3, 2>(pairs, pairs);
}

// The first four values at `from`, for each group.
template <class L, class A>
FDTD_INLINE typename L::V for_each_group(const A* from) {
#if defined(__AVX512F__)
  if constexpr (sizeof(A) == sizeof(float)) {
    return (typename L::V)_mm512_maskz_broadcast_f32x4(0xffff, _mm_loadu_ps(from));
  } else {
    const __m512d half = _mm512_maskz_broadcast_f64x4(0xff, _mm256_loadu_pd(from));
    A all[all_block_lanes];
    _mm512_storeu_pd(all, half);
    _mm512_storeu_pd(all + all_block_lanes / 2, half);
    return L::load(all);
  }
#else
  A all[all_block_lanes];
#pragma GCC unroll 4
  for (int g = 0; g < block_groups; ++g) __builtin_memcpy(all + g * block_lanes, from, block_lanes * sizeof(A));
  return L::load(all);
#endif
}

// The nodes of a block's groups in their rows, as they lie along x: the first `taps` of four, or the last where the wall
// across x is the upper one. Others may be under way in another thread.
template <class T>
class BlockNodes {
 public:
  using V = typename CoupledSites<T, all_block_lanes>::V;
  FDTD_INLINE explicit BlockNodes(const CoupledWallKind<T>& across)
      : back_(across.step < 0 ? block_lanes - 1 : 0),
        begin_(across.step < 0 ? block_lanes - across.taps : 0),
        end_(begin_ + across.taps),
        lanes_((1U << static_cast<unsigned>(end_)) - (1U << static_cast<unsigned>(begin_))) {}

  // The rows of `count` groups, `next` apart; lanes count inwards.
  FDTD_INLINE V load(const T* at, std::ptrdiff_t next, int count) const {
    const T* const p = at - back_;
    V v;
#if defined(__AVX512F__)
    const auto lanes = static_cast<__mmask8>(lanes_);
    if constexpr (sizeof(T) == sizeof(float)) {
      __m512 all = _mm512_maskz_insertf32x4(0xffff, _mm512_setzero_ps(), _mm_maskz_loadu_ps(lanes, p), 0);
      if (count > 1) all = _mm512_maskz_insertf32x4(0xffff, all, _mm_maskz_loadu_ps(lanes, p + next), 1);
      if (count > 2) all = _mm512_maskz_insertf32x4(0xffff, all, _mm_maskz_loadu_ps(lanes, p + 2 * next), 2);
      if (count > 3) all = _mm512_maskz_insertf32x4(0xffff, all, _mm_maskz_loadu_ps(lanes, p + 3 * next), 3);
      v = (V)all;
    } else {
      __m512d halves[2] = {};
      halves[0] = _mm512_maskz_insertf64x4(0xff, _mm512_setzero_pd(), _mm256_maskz_loadu_pd(lanes, p), 0);
      if (count > 1) halves[0] = _mm512_maskz_insertf64x4(0xff, halves[0], _mm256_maskz_loadu_pd(lanes, p + next), 1);
      if (count > 2)
        halves[1] = _mm512_maskz_insertf64x4(0xff, _mm512_setzero_pd(), _mm256_maskz_loadu_pd(lanes, p + 2 * next), 0);
      if (count > 3)
        halves[1] = _mm512_maskz_insertf64x4(0xff, halves[1], _mm256_maskz_loadu_pd(lanes, p + 3 * next), 1);
      __builtin_memcpy(&v, halves, sizeof v);
    }
#else
    T all[all_block_lanes]{};
    for (int g = 0; g < count; ++g)
      for (int i = begin_; i < end_; ++i) all[g * block_lanes + i] = p[g * next + i];
    __builtin_memcpy(&v, all, sizeof v);
#endif
    return back_ > 0 ? each_group<3, 2, 1, 0>(v, v) : v;
  }
  FDTD_INLINE void store(T* at, std::ptrdiff_t next, int count, V v) const {
    T* const p = at - back_;
    if (back_ > 0) v = each_group<3, 2, 1, 0>(v, v);
#if defined(__AVX512F__)
    const auto lanes = static_cast<__mmask8>(lanes_);
    if constexpr (sizeof(T) == sizeof(float)) {
      const auto all = (__m512)v;
      _mm_mask_storeu_ps(p, lanes, _mm512_maskz_extractf32x4_ps(0xf, all, 0));
      if (count > 1) _mm_mask_storeu_ps(p + next, lanes, _mm512_maskz_extractf32x4_ps(0xf, all, 1));
      if (count > 2) _mm_mask_storeu_ps(p + 2 * next, lanes, _mm512_maskz_extractf32x4_ps(0xf, all, 2));
      if (count > 3) _mm_mask_storeu_ps(p + 3 * next, lanes, _mm512_maskz_extractf32x4_ps(0xf, all, 3));
    } else {
      __m512d halves[2];
      __builtin_memcpy(halves, &v, sizeof v);
      for (int g = 0; g < count; ++g) {
        const __m512d half = halves[g / 2];
        const __m256d row =
            g % 2 == 0 ? _mm512_maskz_extractf64x4_pd(0xf, half, 0) : _mm512_maskz_extractf64x4_pd(0xf, half, 1);
        _mm256_mask_storeu_pd(p + g * next, lanes, row);
      }
    }
#else
    T all[all_block_lanes];
    __builtin_memcpy(all, &v, sizeof v);
    for (int g = 0; g < count; ++g)
      for (int i = begin_; i < end_; ++i) p[g * next + i] = all[g * block_lanes + i];
#endif
  }

 private:
  std::ptrdiff_t back_;
  int begin_, end_;
  unsigned lanes_;
};

template <class T, int Depth>
class EdgeBlock {
 public:
  FDTD_INLINE explicit EdgeBlock(const Coupled<T>& block) : g_(block), kind_(*block.kind) {}

  FDTD_INLINE double step() {
    const V a = for_each_group<Values>(wall(0).tap), b = for_each_group<Values>(wall(1).tap);
    load();
    read();
    Sites* const s = sites_;
    const Constants of[2] = {Constants(wall(0)), Constants(wall(1))};
    T* state[2] = {g_.state, g_.state + std::ptrdiff_t{wall(0).branches} * Sites::branch_step};
    for (int w = 0; w < 2; ++w)
      s[w].find_force(of[w], wall(w).branches, wall(w).inverse_square, g_.q + w * all_block_lanes, state[w]);
    const V over_first = sums_of_groups(a * s[1].force), over_second = sums_of_groups(b * s[0].force);
    const T* const m = kind_.inverse;
    const V shift[2] = {b * (m[0] * over_first + m[2] * over_second), a * (m[1] * over_first + m[3] * over_second)};
    typename Sites::Doubles lost{};
    for (int w = 0; w < 2; ++w)
      s[w].step(of[w], wall(w).branches, wall(w).square, shift[w], g_.q + w * all_block_lanes, state[w], lost);
    apply(a, b);
    read();
    keep_reads();
    const auto of_groups = sums_of_groups(lost);
    for (int g = 0; g < g_.count; ++g) g_.lost[g] = of_groups[g * block_lanes];
    return 0.0;
  }

  FDTD_INLINE void read_only() {
    load();
    read();
    keep_reads();
  }

 private:
  using Sites = CoupledSites<T, all_block_lanes>;
  using V = typename Sites::V;
  using Values = Simd<T, T, all_block_lanes * sizeof(T)>;
  using Energies = Simd<double, double, all_block_lanes * sizeof(double)>;

  // The constants of the sites of a wall, the same in all groups.
  class Constants {
   public:
    using Value = V;
    FDTD_INLINE explicit Constants(const CoupledWallKind<T>& wall) : wall_(wall) {}
    FDTD_INLINE V constant(int which) const { return for_each_group<Values>(wall_.constants + which * group_lanes); }
    FDTD_INLINE auto branch(int b) const {
      BranchCoefficients<V, typename Sites::Doubles> of{};
      const T* from = wall_.rules + std::ptrdiff_t{b} * std::ptrdiff_t{branch_coefficients} * group_lanes;
      each_coefficient(
          [&](V & value) __attribute__((always_inline)) {
            value = for_each_group<Values>(from);
            from += group_lanes;
          },
          of);
      of.exact.E = for_each_group<Energies>(wall_.E + b * group_lanes);
      return of;
    }

   private:
    const CoupledWallKind<T>& wall_;
  };

  const CoupledWallKind<T>& wall(int w) const { return kind_.wall[w]; }
  T* row(int j) const { return g_.u + j * wall(1).step; }

  FDTD_INLINE void load() {
    const BlockNodes<T> nodes(wall(0));
#pragma GCC unroll 4
    for (int j = 0; j < Depth; ++j) t_[j] = j < wall(1).taps ? nodes.load(row(j), g_.next, g_.count) : V{};
    transpose();
  }
  // Value i of t_[j] becomes value j of across_[i], in each group.
  FDTD_INLINE void transpose() {
    V in[4]{};
#pragma GCC unroll 4
    for (int j = 0; j < Depth; ++j) in[j] = t_[j];
    const V low[2] = {each_group<0, 4, 1, 5>(in[0], in[1]), each_group<0, 4, 1, 5>(in[2], in[3])};
    across_[0] = each_group<0, 1, 4, 5>(low[0], low[1]);
    across_[1] = each_group<2, 3, 6, 7>(low[0], low[1]);
    if constexpr (Depth > 2) {
      const V high[2] = {each_group<2, 6, 3, 7>(in[0], in[1]), each_group<2, 6, 3, 7>(in[2], in[3])};
      across_[2] = each_group<0, 1, 4, 5>(high[0], high[1]);
      if constexpr (Depth > 3) across_[3] = each_group<2, 3, 6, 7>(high[0], high[1]);
    }
  }

  // The sums that the taps read, in their order: taps beyond a wall's own are zero.
  FDTD_INLINE void read() {
    const T *const a = wall(0).tap, *const b = wall(1).tap;
    sites_[0].reads = a[0] * across_[0], sites_[1].reads = b[0] * t_[0];
#pragma GCC unroll 4
    for (int n = 1; n < Depth; ++n) {
      sites_[0].reads += a[n] * across_[n];
      sites_[1].reads += b[n] * t_[n];
    }
  }
  FDTD_INLINE void keep_reads() {
    for (int w = 0; w < 2; ++w) Sites::store(g_.q + w * all_block_lanes, sites_[w].reads);
  }

  // Takes the forces from both copies: the same operations on the same values.
  template <int N>
  FDTD_INLINE void apply_at(V a, V b) {
    const V f = sites_[0].force, g = sites_[1].force;
    t_[N] -= a * each_group<N, N, N, N>(f, f) + wall(1).tap[N] * g;
    across_[N] -= wall(0).tap[N] * f + b * each_group<N, N, N, N>(g, g);
    if (N < wall(1).taps) BlockNodes<T>(wall(0)).store(row(N), g_.next, g_.count, t_[N]);
  }
  FDTD_INLINE void apply(V a, V b) {
    apply_at<0>(a, b);
    apply_at<1>(a, b);
    if constexpr (Depth > 2) apply_at<2>(a, b);
    if constexpr (Depth > 3) apply_at<3>(a, b);
  }

  const Coupled<T>& g_;
  const CoupledKind<T>& kind_;
  V t_[Depth], across_[Depth];
  Sites sites_[2];
};

}  // namespace
}  // namespace fdtd::cpu
