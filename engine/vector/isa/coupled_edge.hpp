// The update of sites that are solved together at an edge (plan/coupled_walls.hpp).
//
// Along y and z, in blocks of groups (coupled_block.hpp) or group by group: a group's nodes lie in a plane across the edge, and their rows, lanes i along x, are
// loaded whole. They are kept transposed as well, lanes j, for the wall across x, whose taps run along i. Along x, a
// cache line of groups together: lanes are groups, whose nodes lie side by side.
#pragma once

#include "engine/vector/isa/coupled_block.hpp"

namespace fdtd::cpu {
namespace {

// An edge along y or z of walls that read at most `Depth` nodes: wall 0 lies across x.
template <class T, int Depth>
class EdgeUpdate {
 public:
  FDTD_INLINE explicit EdgeUpdate(const Coupled<T>& group) : g_(group), kind_(*group.kind) {}

  FDTD_INLINE double step() {
    load();
    read();
    Sites* const s = sites_;
    const RowConstants<T> of[2] = {{wall(0), 0}, {wall(1), 0}};
    T* state[2] = {g_.state, g_.state + std::ptrdiff_t{wall(0).branches} * Sites::branch_step};
    for (int w = 0; w < 2; ++w)
      s[w].find_force(of[w], wall(w).branches, wall(w).inverse_square, g_.q + w * lanes, state[w]);
    const V a = taps(0), b = taps(1);
    const T over_first = sum_of_lanes<lanes>(a * s[1].force), over_second = sum_of_lanes<lanes>(b * s[0].force);
    const T* const m = kind_.inverse;
    const V shift[2] = {b * (m[0] * over_first + m[2] * over_second), a * (m[1] * over_first + m[3] * over_second)};
    typename Sites::Doubles lost{};
    for (int w = 0; w < 2; ++w)
      s[w].step(of[w], wall(w).branches, wall(w).square, shift[w], g_.q + w * lanes, state[w], lost);
    apply(a, b);
    read();
    keep_reads();
    return sum_of_lanes<lanes>(lost);
  }

  FDTD_INLINE void read_only() {
    load();
    read();
    keep_reads();
  }

 private:
  static constexpr int lanes = group_lanes;
  using Sites = CoupledSites<T, lanes>;
  using V = typename Sites::V;

  const CoupledWallKind<T>& wall(int w) const { return kind_.wall[w]; }
  V taps(int w) const { return Sites::load(wall(w).tap); }
  GroupNodes<T> nodes(int j) const {
    return {wall(0).step, wall(0).taps, kind_.own == nullptr ? nullptr : kind_.own + lanes * j};
  }
  T* row(int j) const { return g_.u + j * wall(1).step; }

  FDTD_INLINE void load() {
#pragma GCC unroll 8
    for (int j = 0; j < Depth; ++j) t_[j] = j < wall(1).taps ? nodes(j).load(row(j)) : V{};
    V all[lanes]{}, across[lanes];
#pragma GCC unroll 8
    for (int j = 0; j < Depth; ++j) all[j] = t_[j];
    transpose_8(all, across);
#pragma GCC unroll 8
    for (int i = 0; i < Depth; ++i) across_[i] = across[i];
  }

  // The sums that the taps read, in their order: taps beyond a wall's own are zero.
  FDTD_INLINE void read() {
    const T *const a = wall(0).tap, *const b = wall(1).tap;
    sites_[0].reads = a[0] * across_[0], sites_[1].reads = b[0] * t_[0];
#pragma GCC unroll 8
    for (int n = 1; n < Depth; ++n) {
      sites_[0].reads += a[n] * across_[n];
      sites_[1].reads += b[n] * t_[n];
    }
  }
  FDTD_INLINE void keep_reads() {
    for (int w = 0; w < 2; ++w) Sites::store(g_.q + w * lanes, sites_[w].reads);
  }

  // Takes the forces from both copies: the same operations on the same values.
  FDTD_INLINE void apply(V a, V b) {
    const V f = sites_[0].force, g = sites_[1].force;
#pragma GCC unroll 8
    for (int n = 0; n < Depth; ++n) {
      t_[n] -= a * f[n] + b[n] * g;
      across_[n] -= a[n] * f + b * g[n];
      if (n < wall(1).taps) nodes(n).store(row(n), t_[n]);
    }
  }

  const Coupled<T>& g_;
  const CoupledKind<T>& kind_;
  V t_[Depth], across_[Depth];
  Sites sites_[2];
};

// Groups side by side along an edge along x, of one kind.
template <class T>
class StripUpdate {
 public:
  FDTD_INLINE explicit StripUpdate(const Coupled<T>& strip) : g_(strip), kind_(*strip.kind) {}

  FDTD_INLINE double step() {
    load();
    T* state = g_.state;
    const T* q = g_.q;
    V over[2]{};  // over the taps of each wall the forces of the other
    for (int w = 0; w < 2; ++w) {
      for (int i = 0; i < places(w); ++i, q += lanes, state += state_step(w)) {
        sites_[w][i].reads = read(w, i);
        sites_[w][i].find_force(Constants(wall(w), i), wall(w).branches, wall(w).inverse_square, q, state);
        over[1 - w] += wall(1 - w).tap[i] * sites_[w][i].force;
      }
    }
    const T* const m = kind_.inverse;
    const V shift[2] = {m[0] * over[0] + m[2] * over[1], m[1] * over[0] + m[3] * over[1]};
    typename Sites::Doubles lost{};
    state = g_.state;
    q = g_.q;
    for (int w = 0; w < 2; ++w)
      for (int i = 0; i < places(w); ++i, q += lanes, state += state_step(w))
        sites_[w][i].step(Constants(wall(w), i), wall(w).branches, wall(w).square, wall(1 - w).tap[i] * shift[w], q,
                          state, lost);
    apply();
    keep_reads();
    return sum_of_lanes<lanes>(lost);
  }

  FDTD_INLINE void read_only() {
    load();
    keep_reads();
  }

 private:
  static constexpr int lanes = strip_groups<T>, most = group_lanes;
  using Sites = CoupledSites<T, lanes>;
  using V = typename Sites::V;
  using L = Simd<T, T>;

  // The constants of place i of a wall, the same in all groups.
  class Constants {
   public:
    using Value = T;
    FDTD_INLINE Constants(const CoupledWallKind<T>& wall, int i) : wall_(wall), i_(i) {}
    FDTD_INLINE T constant(int which) const { return wall_.constants[which * most + i_]; }
    FDTD_INLINE BranchCoefficients<T> branch(int b) const {
      BranchCoefficients<T> of{};
      const T* from = wall_.rules + std::ptrdiff_t{b} * std::ptrdiff_t{branch_coefficients} * most + i_;
      each_coefficient(
          [&](T & value) __attribute__((always_inline)) {
            value = *from;
            from += most;
          },
          of);
      of.exact.E = wall_.E[b * most + i_];
      return of;
    }

   private:
    const CoupledWallKind<T>& wall_;
    int i_;
  };

  const CoupledWallKind<T>& wall(int w) const { return kind_.wall[w]; }
  int places(int w) const { return wall(1 - w).taps; }
  std::ptrdiff_t state_step(int w) const { return std::ptrdiff_t{wall(w).branches} * Sites::branch_step; }
  T* node(int i, int j) const { return g_.u + i * wall(0).step + j * wall(1).step; }
  bool own(int i, int j) const { return kind_.own == nullptr || kind_.own[i + most * j] != 0; }

  FDTD_INLINE void load() {
    for (int j = 0; j < wall(1).taps; ++j)
      for (int i = 0; i < wall(0).taps; ++i) t_[j][i] = own(i, j) ? load_some(node(i, j)) : V{};
  }
  FDTD_INLINE V read(int w, int place) const {
    const T* const tap = wall(w).tap;
    const auto at = [&](int n) { return w == 0 ? t_[place][n] : t_[n][place]; };
    V sum = tap[0] * at(0);
    for (int n = 1; n < wall(w).taps; ++n) sum += tap[n] * at(n);
    return sum;
  }
  FDTD_INLINE void keep_reads() const {
    T* q = g_.q;
    for (int w = 0; w < 2; ++w)
      for (int i = 0; i < places(w); ++i, q += lanes) Sites::store(q, read(w, i));
  }
  FDTD_INLINE void apply() {
    for (int j = 0; j < wall(1).taps; ++j) {
      for (int i = 0; i < wall(0).taps; ++i) {
        t_[j][i] -= wall(0).tap[i] * sites_[0][j].force + wall(1).tap[j] * sites_[1][i].force;
        if (own(i, j)) store_some(node(i, j), t_[j][i]);
      }
    }
  }

  // The groups of the strip alone: beyond it, nodes may be under way in another thread.
  FDTD_INLINE V load_some(const T* at) const {
    T values[lanes]{};
    for (int l = 0; l < lanes; l += static_cast<int>(L::n))
      if (l < g_.count) L::store(values + l, L::load_some(at + l, g_.count - l));
    return Sites::load(values);
  }
  FDTD_INLINE void store_some(T* at, V v) const {
    T values[lanes];
    Sites::store(values, v);
    for (int l = 0; l < lanes; l += static_cast<int>(L::n))
      if (l < g_.count) put<L>(at + l, L::load(values + l), g_.count - l);
  }

  const Coupled<T>& g_;
  const CoupledKind<T>& kind_;
  V t_[most][most];
  Sites sites_[2][most];
};

// Calls function with what solves an edge.
template <class T, class Function>
FDTD_INLINE auto with_edge(const Coupled<T>& group, const Function& function) {
  if (group.kind->along_x) {
    StripUpdate<T> strip(group);
    return function(strip);
  }
  if (group.kind->in_blocks) {
    if (group.kind->wall[0].taps <= 2 && group.kind->wall[1].taps <= 2) {
      EdgeBlock<T, 2> block(group);
      return function(block);
    }
    if (group.kind->wall[0].taps <= 3 && group.kind->wall[1].taps <= 3) {
      EdgeBlock<T, 3> block(group);
      return function(block);
    }
    EdgeBlock<T, 4> block(group);
    return function(block);
  }
  if (group.kind->wall[0].taps <= 4 && group.kind->wall[1].taps <= 4) {
    EdgeUpdate<T, 4> edge(group);
    return function(edge);
  }
  EdgeUpdate<T, group_lanes> edge(group);
  return function(edge);
}

}  // namespace
}  // namespace fdtd::cpu
