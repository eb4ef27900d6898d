// The boundary update: the branches of the walls and their reaction on the field.
//
// Data movement: the state and the taps' sums of u- come from memory once a step, in whole lines of 16 nodes, in order.
// The field's nodes are still in cache from the sweep over the rows, and are read and written once. Groups whose nodes
// lie side by side along x load vectors directly, those of a few such pieces, as beside oblique walls, piece by piece
// with masks (AVX-512), walls across x load four or eight neighbours of each row (transpose4.hpp), all other groups
// gather node by node.
#pragma once

#include "engine/vector/isa/branch_vectors.hpp"
#include "engine/vector/isa/transpose4.hpp"

namespace fdtd::cpu {
namespace {

// Energy dissipated in each lane of a group, in double, added up at the end: the same sum for vectors of any width.
template <class T>
class DissipatedLanes {
 public:
  using L = Simd<T, T>;
  using D = Simd<double, double>;
  FDTD_INLINE void add(std::ptrdiff_t lane, double E, typename L::V power) {
    typename D::V* const sums = sums_ + lane / D::n;
    if constexpr (sizeof(T) == sizeof(double)) {
      sums[0] += E * power;
    } else {
      sums[0] += E * Simd<T, double>::widened(half<0>(power, Half<D::n>()));
      sums[1] += E * Simd<T, double>::widened(half<D::n>(power, Half<D::n>()));
    }
  }
  // Adds lane l + h to lane l of the remaining 2 h lanes until one remains.
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

// The constants of a vector of nodes, at place c.
template <class T>
FDTD_INLINE auto node_coefficients(const BatchKind<T>& b, std::ptrdiff_t c) {
  using L = Simd<T, T>;
  return NodeCoefficients<typename L::V>{L::load(b.Q + c), L::load(b.scale + c), L::load(b.loss + c)};
}

// A step of a branch that is in state `now`, to `at`.
template <class T, class V>
FDTD_INLINE void step_branch(const BranchCoefficients<T>& branch, V pull, V p, V weight, BranchValues<V> now, T* at,
                             std::ptrdiff_t lane, DissipatedLanes<T>& dissipated) {
  VectorEquation<T>::step(
      branch, pull, p, weight,
      now, [&](double E, V power) __attribute__((always_inline)) { dissipated.add(lane, E, power); });
  store_branch<Simd<T, T>>(at, batch_group, now);
}

// The branches of one site at a vector of nodes before the step.
template <class T, int Branches>
struct SiteState {
  using L = Simd<T, T>;
  using V = typename L::V;
  using Equation = VectorEquation<T>;
  V v[Branches], pull[Branches];
  BranchSums<V> sums;

  FDTD_INLINE SiteState(const T* state, const BranchCoefficients<T>* branch) {
#pragma GCC unroll 4
    for (int i = 0; i < Branches; ++i) {
      const auto before = load_branch<L>(state + i * branch_values, batch_group);
      v[i] = before.V;
      pull[i] = Equation::pull(branch[i], before);
      if (i == 0)
        sums = Equation::first(branch[i], pull[i], before);
      else
        Equation::add(sums, branch[i], pull[i], before);
    }
  }
};

// A vector of nodes with one site each, of `Branches` branches, whose V and pulls stay in registers. Returns u+; c:
// place of the constants, start: the taps' sum of S u - u-.
template <class T, int Branches>
FDTD_INLINE typename Simd<T, T>::V update_one_site(const BatchKind<T>& b, const LawCoefficients<T>& law,
                                                   const BranchCoefficients<T>* branch, const T* q, T* state,
                                                   std::ptrdiff_t c, typename Simd<T, T>::V start, std::ptrdiff_t lane,
                                                   DissipatedLanes<T>& dissipated) {
  using L = Simd<T, T>;
  using Equation = VectorEquation<T>;
  const SiteState<T, Branches> site(state, branch);
  const auto weight = L::load(b.weight + c);
  const auto known = weight * Equation::known_flow(law, site.sums);
  const auto u_before = L::load(q);
  const auto u_after = Equation::node_after(node_coefficients(b, c), u_before, start, known);
  const auto half_moved = (u_after - u_before) * static_cast<T>(0.5);
  const auto p = Equation::pressure(law, site.sums, half_moved);
#pragma GCC unroll 4
  for (int i = 0; i < Branches; ++i) {
    auto now = load_branch<L>(state + i * branch_values, batch_group);
    now.V = site.v[i];
    step_branch(branch[i], site.pull[i], p, weight, now, state + i * branch_values, lane, dissipated);
  }
  return u_after;
}

// The same for any number of sites and branches, in two passes over them.
template <class T>
FDTD_INLINE typename Simd<T, T>::V update_sites(const BatchKind<T>& b, const LawCoefficients<T>* laws,
                                                const BranchCoefficients<T>* branches, const T* q, T* state,
                                                std::ptrdiff_t c, typename Simd<T, T>::V start, std::ptrdiff_t lane,
                                                DissipatedLanes<T>& dissipated) {
  using L = Simd<T, T>;
  using V = typename L::V;
  using Equation = VectorEquation<T>;
  const auto each_site = [&](const auto& function) {
    T* at = state;
    for (std::uint32_t s = 0; s < b.sites; ++s) {
      const LawCoefficients<T>& law = laws[b.laws[s]];
      BranchSums<V> sums{};
      for (std::uint32_t i = law.branch_begin; i < law.branch_end; ++i) {
        const auto before =
            load_branch<L>(at + static_cast<std::ptrdiff_t>(i - law.branch_begin) * branch_values, batch_group);
        Equation::add(sums, branches[i], Equation::pull(branches[i], before), before);
      }
      function(law, L::load(b.weight + static_cast<std::ptrdiff_t>(s) * b.constant_stride + c), sums, at);
      at += static_cast<std::ptrdiff_t>(law.branch_end - law.branch_begin) * branch_values;
    }
  };
  V known{};
  each_site([&](const LawCoefficients<T>& law, V weight, const BranchSums<V>& sums, T*) {
    known += weight * Equation::known_flow(law, sums);
  });
  const V u_before = L::load(q);
  const V u_after = Equation::node_after(node_coefficients(b, c), u_before, start, known);
  const V half_moved = (u_after - u_before) * static_cast<T>(0.5);
  each_site([&](const LawCoefficients<T>& law, V weight, const BranchSums<V>& sums, T* at) {
    const V p = Equation::pressure(law, sums, half_moved);
    for (std::uint32_t i = law.branch_begin; i < law.branch_end; ++i, at += branch_values) {
      const auto now = load_branch<L>(at, batch_group);
      step_branch(branches[i], Equation::pull(branches[i], now), p, weight, now, at, lane, dissipated);
    }
  });
  return u_after;
}

// The pieces of a group (GroupPiece) at its lanes [l, l + L::n): a lane's node lies at the piece's `from` plus the lane.
template <class L, class T>
FDTD_INLINE typename L::V load_pieces(const T* p, const GroupPiece* pieces, std::ptrdiff_t l) {
  typename L::V v{};
#pragma GCC unroll 4
  for (int i = 0; i < max_pieces; ++i) L::load_lanes(p + pieces[i].from + l, pieces[i].lanes >> l, v);
  return v;
}
template <class L, class T>
FDTD_INLINE void store_pieces(T* p, const GroupPiece* pieces, std::ptrdiff_t l, typename L::V v) {
#pragma GCC unroll 4
  for (int i = 0; i < max_pieces; ++i) L::store_lanes(p + pieces[i].from + l, pieces[i].lanes >> l, v);
}

// The values that up to `Taps` taps read at a vector of nodes: u at j steps inwards, j = 0, 1, ...
template <class T, int Taps>
struct Columns {
  using L = Simd<T, T>;
  using V = typename L::V;
  static constexpr bool transposes = Taps > 1 && Transpose4<T>::possible;
  static constexpr int wide = Taps > 4 ? 8 : 4;  // values of a row that are transposed
  V u[transposes ? wide : Taps]{};

  // `node`: offsets of the `here` nodes; the other lanes are zero and stay so.
  FDTD_INLINE void load(const T* p, int taps, const std::int32_t* node, const GroupPiece* pieces, std::int32_t run,
                        std::ptrdiff_t step, std::ptrdiff_t l, std::ptrdiff_t here) {
    if (run >= 0) {
      each(taps, [&](int j) { u[j] = L::load(p + run + j * step); });
      return;
    }
    if constexpr (masks_lanes) {
      if (run == in_pieces) {
        each(taps, [&](int j) { u[j] = load_pieces<L>(p + j * step, pieces, l); });
        return;
      }
    }
    if constexpr (transposes) {
      if (run == across_x) {
        for (int j = 0; j < wide; j += 4) Transpose4<T>::load(p + j - (step < 0 ? wide - 1 : 0), node, u + j);
        if (step < 0) mirror();
        return;
      }
    }
    each(taps, [&](int j) { u[j] = L::gather(p + j * step, node, here); });
  }
  FDTD_INLINE void store(T* p, int taps, const std::int32_t* node, const GroupPiece* pieces, std::int32_t run,
                         std::ptrdiff_t step, std::ptrdiff_t l, std::ptrdiff_t here) {
    if (run >= 0) {
      each(taps, [&](int j) { L::store(p + run + j * step, u[j]); });
      return;
    }
    if constexpr (masks_lanes) {
      if (run == in_pieces) {
        each(taps, [&](int j) { store_pieces<L>(p + j * step, pieces, l, u[j]); });
        return;
      }
    }
    if constexpr (transposes) {
      if (run == across_x) {
        if (step < 0) mirror();
        for (int j = 0; j < wide; j += 4) Transpose4<T>::store(p + j - (step < 0 ? wide - 1 : 0), node, u + j);
        return;
      }
    }
    each(taps, [&](int j) { L::scatter(p + j * step, node, u[j], here); });
  }

  // The first `taps` of them: all but where their number is not known to the compiler.
  template <class Function>
  static FDTD_INLINE void each(int taps, const Function& function) {
#pragma GCC unroll 8
    for (int j = 0; j < Taps; ++j)
      if (Taps <= 4 || j < taps) function(j);
  }

 private:
  FDTD_INLINE void mirror() {
#pragma GCC unroll 4
    for (int j = 0; j < wide / 2; ++j) {
      const V other = u[wide - 1 - j];
      u[wide - 1 - j] = u[j];
      u[j] = other;
    }
  }
};

// Batches of one site a node with `Branches` branches; 0: of any sites and branches. Taps: as many, or, above 4, at
// most as many. Coefficients and constants are copies that no store can change. q is computed from the stored u+: a
// resumed run computes the same bits.
template <class T, int Branches, int Taps>
void update_groups(const Batch<T>& batch, const LawCoefficients<T>* laws, const BranchCoefficients<T>* branches,
                   double* dissipated_in_tile) {
  using L = Simd<T, T>;
  const BatchKind<T> b = *batch.kind;
  const LawCoefficients<T> law = laws[b.laws[0]];
  BranchCoefficients<T> rule[Branches + (Branches == 0 ? 1 : 0)];
  for (int i = 0; i < Branches; ++i) rule[i] = branches[law.branch_begin + static_cast<std::uint32_t>(i)];
  using C = Columns<T, Taps>;
  const int taps = Taps > 4 ? static_cast<int>(b.tap_count) : Taps;
  T tap[Taps]{}, part[Taps]{};
  for (int j = 0; j < taps; ++j) tap[j] = b.taps[j], part[j] = tap[j] * b.inverse_square;
  const auto count = static_cast<std::ptrdiff_t>(b.count);
  const std::ptrdiff_t state_step = branch_values * static_cast<std::ptrdiff_t>(b.branches);
  for (std::ptrdiff_t tile = 0; tile < batch.tiles; ++tile) {
    T* const u = batch.u + tile * batch.u_step;
    T* state = batch.branches + tile * batch.branches_step;
    T* q = batch.q + tile * batch.q_step;
    // Walls across x have one group a tile: prefetch the state of the tiles ahead.
    for (std::ptrdiff_t line = 0; line < state_step; line += batch_group)
      __builtin_prefetch(state + tiles_ahead * batch.branches_step + line, 1);
    __builtin_prefetch(q + tiles_ahead * batch.q_step, 1);
    DissipatedLanes<T> dissipated;
    for (std::ptrdiff_t first = 0; first < count; first += batch_group, state += state_step, q += batch_group) {
      const std::ptrdiff_t here = count - first < batch_group ? count - first : batch_group;
      const std::ptrdiff_t constants = first / batch_group * b.constant_step;
      for (std::ptrdiff_t l = 0; l < batch_group; l += L::n) {
        const std::int32_t* const node = b.node + first + l;
        const std::int32_t of_group = b.run[first / batch_group];
        const GroupPiece* const pieces = b.pieces + first / batch_group * max_pieces;
        const std::int32_t run = of_group < 0 ? of_group : of_group + static_cast<std::int32_t>(l);
        C columns;
        columns.load(u, taps, node, pieces, run, b.step, l, here - l);
        typename L::V start{}, after{};
        C::each(taps, [&](int j) { start = j == 0 ? tap[j] * columns.u[j] : start + tap[j] * columns.u[j]; });
        if constexpr (Branches > 0)
          after = update_one_site<T, Branches>(b, law, rule, q + l, state + l, constants + l, start, l, dissipated);
        else
          after = update_sites(b, laws, branches, q + l, state + l, constants + l, start, l, dissipated);
        if constexpr (Taps == 1) {
          columns.u[0] = after;
        } else {
          const auto change = after - start;
          C::each(taps, [&](int j) {
            columns.u[j] += part[j] * change;
            after = j == 0 ? tap[j] * columns.u[j] : after + tap[j] * columns.u[j];
          });
        }
        L::store(q + l, after);
        columns.store(u, taps, node, pieces, run, b.step, l, here - l);
      }
    }
    dissipated_in_tile[tile] += dissipated.total();
  }
}

template <class T, int Taps>
void update_with_taps(const Batch<T>& b, const LawCoefficients<T>* laws, const BranchCoefficients<T>* branches,
                      double* dissipated) {
  const auto groups = b.kind->sites != 1      ? update_groups<T, 0, Taps>
                      : b.kind->branches == 1 ? update_groups<T, 1, Taps>
                      : b.kind->branches == 2 ? update_groups<T, 2, Taps>
                      : b.kind->branches == 3 ? update_groups<T, 3, Taps>
                                              : update_groups<T, 0, Taps>;
  groups(b, laws, branches, dissipated);
}

// The update of plan/boundary.hpp for a batch.
template <class T>
void update_boundary(const Batch<T>& b, const LawCoefficients<T>* laws, const BranchCoefficients<T>* branches,
                     double* dissipated) {
  const auto of_taps = b.kind->tap_count == 1   ? update_with_taps<T, 1>
                       : b.kind->tap_count == 2 ? update_with_taps<T, 2>
                       : b.kind->tap_count == 3 ? update_with_taps<T, 3>
                       : b.kind->tap_count == 4 ? update_with_taps<T, 4>
                                                : update_with_taps<T, static_cast<int>(max_taps)>;
  of_taps(b, laws, branches, dissipated);
}

}  // namespace
}  // namespace fdtd::cpu
