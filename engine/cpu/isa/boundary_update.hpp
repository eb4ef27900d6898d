// The boundary update: branches at walls, and what they take from the field.
//
// Data movement: state and what the taps read of u- come from memory, once a step, whole lines of 16 nodes in order;
// the field's nodes are in cache, where the rows left them, and are read and written once. Groups side by side along x
// take vectors as they lie, walls across x four neighbours a row (transposed.hpp), the rest node by node.
#pragma once

#include "engine/cpu/isa/simd.hpp"
#include "engine/cpu/isa/transpose4.hpp"

namespace fdtd::cpu {
namespace {

// Energy lost by the lanes of a group, in double, to be added up at the end: the same sum for vectors of any width.
template <class T>
class LostLanes {
 public:
  using L = Lanes<T, T>;
  using D = Lanes<double, double>;
  FDTD_INLINE void add(std::ptrdiff_t lane, double E, typename L::V power) {
    typename D::V* const sums = sums_ + lane / D::n;
    if constexpr (sizeof(T) == sizeof(double)) {
      sums[0] += E * power;
    } else {
      sums[0] += E * Lanes<T, double>::widened(half<0>(power, Half<D::n>()));
      sums[1] += E * Lanes<T, double>::widened(half<D::n>(power, Half<D::n>()));
    }
  }
  // Lane l and lane l + h, of the 2 h that are left, until one is.
  FDTD_INLINE double total() const {
    typename D::V sums[vectors];
    for (std::ptrdiff_t i = 0; i < vectors; ++i) sums[i] = sums_[i];
#pragma GCC unroll 4
    for (std::ptrdiff_t left = vectors / 2; left > 0; left /= 2)
#pragma GCC unroll 8
      for (std::ptrdiff_t i = 0; i < left; ++i) sums[i] += sums[i + left];
    return added<D::n>(sums[0]);
  }

 private:
  static constexpr std::ptrdiff_t vectors = batch_group / D::n;
  template <std::ptrdiff_t Count>
  using Half = std::make_index_sequence<static_cast<std::size_t>(Count)>;
  template <std::ptrdiff_t First, class V, std::size_t... Lane>
  static FDTD_INLINE auto half(V v, std::index_sequence<Lane...>) {
    return __builtin_shufflevector(v, v, (static_cast<int>(Lane) + static_cast<int>(First))...);
  }
  template <std::ptrdiff_t Count, class V>
  static FDTD_INLINE double added(V v) {
    if constexpr (Count == 2) {
      return v[0] + v[1];
    } else {
      return added<Count / 2>(half<0>(v, Half<Count / 2>()) + half<Count / 2>(v, Half<Count / 2>()));
    }
  }
  typename D::V sums_[vectors] = {};
};

// The branches of one site at a vector of nodes, before the step, and what of them the update needs.
template <class T, int Branches>
struct SiteState {
  using L = Lanes<T, T>;
  using V = typename L::V;
  V v[Branches], drive[Branches], A, W;  // drive = d v - F g

  FDTD_INLINE SiteState(const T* state, const BranchCoefficients<T>* rule) {
#pragma GCC unroll 4
    for (int i = 0; i < Branches; ++i) {
      v[i] = L::load(state + i * branch_values);
      drive[i] = rule[i].d * v[i] - rule[i].F * L::load(state + i * branch_values + batch_group);
      const V moves = rule[i].beta * drive[i];
      A = i == 0 ? moves : A + moves;
      W = i == 0 ? v[i] : W + v[i];
    }
  }
};

// A vector of nodes with one site each, of `Branches` branches: everything once in registers. What was stored is what
// moves the branches: in f32 the balance then closes to rounding. `c`: place of the constants.
template <class T, int Branches>
FDTD_INLINE typename Lanes<T, T>::V move_one_site(const BatchKind<T>& b, const LawCoefficients<T>& law,
                                                  const BranchCoefficients<T>* rule, const T* q, T* state,
                                                  std::ptrdiff_t c, typename Lanes<T, T>::V start, std::ptrdiff_t lane,
                                                  LostLanes<T>& lost) {
  using L = Lanes<T, T>;
  const SiteState<T, Branches> site(state, rule);
  const auto weight = L::load(b.weight + c);
  const auto known = weight * ((law.A_part * site.A + law.W_part * site.W) + site.W);
  const auto u_before = L::load(q);
  const auto u_after = L::load(b.scale + c) * (start + L::load(b.Q + c) * u_before) - L::load(b.loss + c) * known;
  const auto half_moved = (u_after - u_before) * static_cast<T>(0.5);
  const auto p = (half_moved - law.inertance * (site.A - site.W)) * law.series;
#pragma GCC unroll 4
  for (int i = 0; i < Branches; ++i) {
    const auto v_after = rule[i].beta * (site.drive[i] + p);
    const auto mean = (v_after + site.v[i]) * static_cast<T>(0.5);
    T* const V = state + i * branch_values;
    T* const G = V + batch_group;
    L::store(V, v_after);
    L::store(G, L::load(G) + mean);
    lost.add(lane, rule[i].E, weight * (mean * mean));
  }
  return u_after;
}

// Any sites and branches: in two goes over them.
template <class T>
FDTD_INLINE typename Lanes<T, T>::V move_sites(const BatchKind<T>& b, const LawCoefficients<T>* laws,
                                               const BranchCoefficients<T>* branches, const T* q, T* state,
                                               std::ptrdiff_t c, typename Lanes<T, T>::V start, std::ptrdiff_t lane,
                                               LostLanes<T>& lost) {
  using L = Lanes<T, T>;
  const auto each_site = [&](const auto& function) {
    T* at = state;
    for (std::uint32_t s = 0; s < b.sites; ++s) {
      const LawCoefficients<T>& law = laws[b.laws[s]];
      typename L::V A{}, W{};
      for (std::uint32_t i = law.branch_begin; i < law.branch_end; ++i) {
        const T* const V = at + static_cast<std::ptrdiff_t>(i - law.branch_begin) * branch_values;
        const auto v = L::load(V);
        A += branches[i].beta * (branches[i].d * v - branches[i].F * L::load(V + batch_group));
        W += v;
      }
      function(law, L::load(b.weight + static_cast<std::ptrdiff_t>(s) * b.constant_stride + c), A, W, at);
      at += static_cast<std::ptrdiff_t>(law.branch_end - law.branch_begin) * branch_values;
    }
  };
  typename L::V known{};
  each_site([&](const LawCoefficients<T>& law, auto weight, auto A, auto W, T*) {
    known += weight * ((law.A_part * A + law.W_part * W) + W);
  });
  const auto u_before = L::load(q);
  const auto u_after = L::load(b.scale + c) * (start + L::load(b.Q + c) * u_before) - L::load(b.loss + c) * known;
  const auto half_moved = (u_after - u_before) * static_cast<T>(0.5);
  each_site([&](const LawCoefficients<T>& law, auto weight, auto A, auto W, T* at) {
    const auto p = (half_moved - law.inertance * (A - W)) * law.series;
    for (std::uint32_t i = law.branch_begin; i < law.branch_end; ++i, at += branch_values) {
      const auto v = L::load(at), g = L::load(at + batch_group);
      const auto v_after = branches[i].beta * ((branches[i].d * v - branches[i].F * g) + p);
      const auto mean = (v_after + v) * static_cast<T>(0.5);
      L::store(at, v_after);
      L::store(at + batch_group, g + mean);
      lost.add(lane, branches[i].E, weight * (mean * mean));
    }
  });
  return u_after;
}

// Of a vector of nodes, what `Taps` taps read: u j steps behind them.
template <class T, int Taps>
struct Columns {
  using L = Lanes<T, T>;
  using V = typename L::V;
  static constexpr bool turns = Taps > 1 && Transposed<T>::possible;
  V u[turns ? 4 : Taps]{};

  // `node`: offsets of the nodes, of which there are `here`; zero beyond, where nothing moves.
  FDTD_INLINE void load(const T* p, const std::int32_t* node, std::int32_t run, std::ptrdiff_t step,
                        std::ptrdiff_t here) {
    if (run >= 0) {
#pragma GCC unroll 3
      for (int j = 0; j < Taps; ++j) u[j] = L::load(p + run + j * step);
      return;
    }
    if constexpr (turns) {
      if (run == across_x) {
        Transposed<T>::load(p - (step < 0 ? 3 : 0), node, u);
        if (step < 0) mirror();
        return;
      }
    }
#pragma GCC unroll 3
    for (int j = 0; j < Taps; ++j) u[j] = L::gather(p + j * step, node, here);
  }
  FDTD_INLINE void store(T* p, const std::int32_t* node, std::int32_t run, std::ptrdiff_t step, std::ptrdiff_t here) {
    if (run >= 0) {
#pragma GCC unroll 3
      for (int j = 0; j < Taps; ++j) L::store(p + run + j * step, u[j]);
      return;
    }
    if constexpr (turns) {
      if (run == across_x) {
        if (step < 0) mirror();
        Transposed<T>::store(p - (step < 0 ? 3 : 0), node, u);
        return;
      }
    }
#pragma GCC unroll 3
    for (int j = 0; j < Taps; ++j) L::scatter(p + j * step, node, u[j], here);
  }

 private:
  FDTD_INLINE void mirror() {
    for (int j = 0; j < 2; ++j) {
      const V other = u[3 - j];
      u[3 - j] = u[j];
      u[j] = other;
    }
  }
};

// Batches of one site a node with `Branches` branches; 0: of any sites and branches. Rules and constants are copies,
// which no store can change. q is that of the stored u+: the bits that a restart finds.
template <class T, int Branches, int Taps>
void lose_groups(const Batch<T>& batch, const LawCoefficients<T>* laws, const BranchCoefficients<T>* branches,
                 double* lost_of_tile) {
  using L = Lanes<T, T>;
  const BatchKind<T> b = *batch.kind;
  const LawCoefficients<T> law = laws[b.laws[0]];
  BranchCoefficients<T> rule[Branches + (Branches == 0 ? 1 : 0)];
  for (int i = 0; i < Branches; ++i) rule[i] = branches[law.branch_begin + static_cast<std::uint32_t>(i)];
  T tap[Taps], part[Taps];
  for (int j = 0; j < Taps; ++j) tap[j] = b.taps[j], part[j] = tap[j] * b.inverse_square;
  const auto count = static_cast<std::ptrdiff_t>(b.count);
  const std::ptrdiff_t state_step = branch_values * static_cast<std::ptrdiff_t>(b.branches);
  for (std::ptrdiff_t tile = 0; tile < batch.tiles; ++tile) {
    T* const u = batch.u + tile * batch.u_step;
    T* state = batch.branches + tile * batch.branches_step;
    T* q = batch.q + tile * batch.q_step;
    // Walls across x have a group a tile: what the next tiles hold is asked for here.
    for (std::ptrdiff_t line = 0; line < state_step; line += batch_group)
      __builtin_prefetch(state + tiles_ahead * batch.branches_step + line, 1);
    __builtin_prefetch(q + tiles_ahead * batch.q_step, 1);
    LostLanes<T> lost;
    for (std::ptrdiff_t first = 0; first < count; first += batch_group, state += state_step, q += batch_group) {
      const std::ptrdiff_t here = count - first < batch_group ? count - first : batch_group;
      const std::ptrdiff_t constants = first / batch_group * b.constant_step;
      for (std::ptrdiff_t l = 0; l < batch_group; l += L::n) {
        const std::int32_t* const node = b.node + first + l;
        const std::int32_t of_group = b.run[first / batch_group];
        const std::int32_t run = of_group < 0 ? of_group : of_group + static_cast<std::int32_t>(l);
        Columns<T, Taps> columns;
        columns.load(u, node, run, b.step, here - l);
        typename L::V start = tap[0] * columns.u[0], after;
#pragma GCC unroll 3
        for (int j = 1; j < Taps; ++j) start += tap[j] * columns.u[j];
        if constexpr (Branches > 0)
          after = move_one_site<T, Branches>(b, law, rule, q + l, state + l, constants + l, start, l, lost);
        else
          after = move_sites(b, laws, branches, q + l, state + l, constants + l, start, l, lost);
        if constexpr (Taps == 1) {
          columns.u[0] = after;
        } else {
          const auto change = after - start;
#pragma GCC unroll 3
          for (int j = 0; j < Taps; ++j) {
            columns.u[j] += part[j] * change;
            after = j == 0 ? tap[j] * columns.u[j] : after + tap[j] * columns.u[j];
          }
        }
        L::store(q + l, after);
        columns.store(u, node, run, b.step, here - l);
      }
    }
    lost_of_tile[tile] += lost.total();
  }
}

template <class T, int Taps>
void lose_branches(const Batch<T>& b, const LawCoefficients<T>* laws, const BranchCoefficients<T>* branches,
                   double* lost) {
  const auto groups = b.kind->sites != 1      ? lose_groups<T, 0, Taps>
                      : b.kind->branches == 1 ? lose_groups<T, 1, Taps>
                      : b.kind->branches == 2 ? lose_groups<T, 2, Taps>
                      : b.kind->branches == 3 ? lose_groups<T, 3, Taps>
                                              : lose_groups<T, 0, Taps>;
  groups(b, laws, branches, lost);
}

// boundary.hpp's update of batches.
template <class T>
void lose(const Batch<T>& b, const LawCoefficients<T>* laws, const BranchCoefficients<T>* branches, double* lost) {
  static_assert(most_taps == 3);
  const auto of_taps = b.kind->tap_count == 1   ? lose_branches<T, 1>
                       : b.kind->tap_count == 2 ? lose_branches<T, 2>
                                                : lose_branches<T, 3>;
  of_taps(b, laws, branches, lost);
}

}  // namespace
}  // namespace fdtd::cpu
