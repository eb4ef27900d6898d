// Sites of walls that are solved together (plan/coupled_walls.hpp), a vector at a time, and how their nodes are loaded.
// Every way of solving adds up in a fixed order: the same bytes for vectors of any width.
#pragma once

#include "engine/vector/isa/branch_vectors.hpp"

namespace fdtd::cpu {
namespace {

enum CoupledConstantOf {
  of_Q,
  of_scale,
  of_loss,
  of_weight,
  of_response,
  of_A_part,
  of_W_part,
  of_inertance,
  of_series
};
inline constexpr std::ptrdiff_t coupled_constant_count = 9;

// The coefficients of a site for the branch equation; Value: of one, or of a vector of them. constant(which) gives a
// constant of the site.
template <class Value, class Constants>
FDTD_INLINE LawCoefficients<Value> site_law(const Constants& of) {
  LawCoefficients<Value> law{};
  law.A_part = of.constant(of_A_part), law.W_part = of.constant(of_W_part);
  law.inertance = of.constant(of_inertance), law.series = of.constant(of_series);
  return law;
}
template <class Value, class Constants>
FDTD_INLINE NodeCoefficients<Value> site_node(const Constants& of) {
  return {of.constant(of_Q), of.constant(of_scale), of.constant(of_loss)};
}

// `Lanes` sites. `Constants` gives constant(which) and branch(b); the values of a branch at `state` lie Lanes apart.
template <class T, int Lanes>
struct CoupledSites {
  // Not typedefs of this class: GCC drops the attribute of a vector that is an argument of a template.
  using V = typename Simd<T, T, Lanes * sizeof(T)>::V;
  using Doubles = typename Simd<double, double, Lanes * sizeof(double)>::V;
  using Equation = VectorEquation<T>;
  static constexpr std::ptrdiff_t branch_step = branch_state_size * Lanes;
  V reads, force;
  BranchSums<V> sums;

  static FDTD_INLINE V load(const T* at) {
    V v;
    __builtin_memcpy(&v, at, sizeof(V));
    return v;
  }
  static FDTD_INLINE void store(T* at, V v) { __builtin_memcpy(at, &v, sizeof(V)); }
  static FDTD_INLINE BranchValues<V> branch(const T* state) { return load_branch<CoupledSites>(state, Lanes); }

  // The force of each site alone, from what its taps read.
  template <class Constants>
  FDTD_INLINE void find_force(const Constants& of, int branches, T inverse_square, const T* q, const T* state) {
    using Value = typename Constants::Value;
    sums = BranchSums<V>{};
    for (int b = 0; b < branches; ++b, state += branch_step) {
      const auto rule = of.branch(b);
      const BranchValues<V> before = branch(state);
      Equation::add(sums, rule, Equation::pull(rule, before), before);
    }
    const V known = of.constant(of_weight) * Equation::known_flow(site_law<Value>(of), sums);
    const V after = Equation::node_after(site_node<Value>(of), load(q), reads, known);
    force = (reads - after) * inverse_square;
  }

  // With the other walls, whose forces lower what the sites read by `shift`: the force, and a step of the branches.
  template <class Constants>
  FDTD_INLINE void step(const Constants& of, int branches, T square, V shift, const T* q, T* state, Doubles& lost) {
    using Value = typename Constants::Value;
    force -= of.constant(of_response) * shift;
    const V half_moved = (((reads - shift) - square * force) - load(q)) * static_cast<T>(0.5);
    const V p = Equation::pressure(site_law<Value>(of), sums, half_moved);
    for (int b = 0; b < branches; ++b, state += branch_step) {
      const auto rule = of.branch(b);
      BranchValues<V> now = branch(state);
      Equation::step(
          rule, Equation::pull(rule, now), p, of.constant(of_weight),
          now, [&](auto E, V power) __attribute__((always_inline)) {
            lost += E * __builtin_convertvector(power, Doubles);
          });
      store_branch<CoupledSites>(state, Lanes, now);
    }
  }
};

// The eight sites of row r of a wall.
template <class T>
class RowConstants {
 public:
  using Sites = CoupledSites<T, group_lanes>;
  using Value = typename Sites::V;
  FDTD_INLINE RowConstants(const CoupledWallKind<T>& wall, int r)
      : constants_(wall.constants + r * coupled_constant_count * group_lanes),
        rules_(wall.rules + std::ptrdiff_t{r} * wall.branches * branch_step),
        E_(wall.E + std::ptrdiff_t{r} * wall.branches * group_lanes) {}
  FDTD_INLINE Value constant(int which) const { return Sites::load(constants_ + which * group_lanes); }
  FDTD_INLINE auto branch(int b) const {
    BranchCoefficients<Value, typename Sites::Doubles> of{};
    const T* from = rules_ + b * branch_step;
    each_coefficient(
        [&](Value & value) __attribute__((always_inline)) {
          value = Sites::load(from);
          from += group_lanes;
        },
        of);
    __builtin_memcpy(&of.exact.E, E_ + b * group_lanes, sizeof of.exact.E);
    return of;
  }

 private:
  static constexpr std::ptrdiff_t branch_step = branch_coefficients * group_lanes;
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
