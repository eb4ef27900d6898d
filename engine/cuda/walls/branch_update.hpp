// The update of the branches of a boundary node (plan/boundary.hpp), for every launch that works such nodes: what its
// taps read after the step, V and G of its branches, u+ at the nodes of its column. Near-wall corrections have been
// applied before. Group: how a node's taps read, a BoundaryGroup (boundary_groups.hpp) or a FaceColumn (box_faces.hpp).
#pragma once

#include <cstddef>

#include "engine/cuda/gpu/host_device.hpp"
#include "engine/cuda/walls/boundary_sizes.hpp"
#include "engine/plan/law_coefficients.hpp"

namespace fdtd::cuda {

// The column's r = S u - u-, corrections applied, and what the taps read of it. N: its nodes at most, max_column or,
// for groups that read more, max_taps.
template <class T, std::size_t N = max_column>
struct Column {
  T r[N];
  T sum;
};

// The values of a column's nodes, the first of them at u[at].
template <class T, class Group, class Index, std::size_t N>
FDTD_HOST_DEVICE void load_line(const Group& g, Index at, const T* u, T (&line)[N]) {
  FDTD_UNROLL
  for (std::uint32_t j = 0; j < N; ++j) line[j] = j < g.column ? u[at + j * g.step] : T{};
}

template <class T, class Group, class Index, std::size_t N>
FDTD_HOST_DEVICE void store_line(const Group& g, Index at, const T (&line)[N], T* u) {
  FDTD_UNROLL
  for (std::uint32_t j = 0; j < N; ++j)
    if (j < g.column) u[at + j * g.step] = line[j];
}

// The weighted sum that the taps read of a column; order and rounding are the same in every kernel.
template <class T, class Group, std::size_t N>
FDTD_HOST_DEVICE T tap_value(const Group& g, const T (&line)[N]) {
  T sum = g.tap[0] * line[0];
  FDTD_UNROLL
  for (std::uint32_t j = 1; j < N; ++j)
    if (j < g.tap_count) sum = fused(g.tap[j], line[j], sum);
  return sum;
}

template <class T, class Group, std::size_t N>
FDTD_HOST_DEVICE Column<T, N> column_of(const Group& g, const T (&r)[N]) {
  Column<T, N> column{};
  FDTD_UNROLL
  for (std::uint32_t j = 0; j < N; ++j) {
    column.r[j] = r[j];
    column.sum = fused(g.tap[j], r[j], column.sum);
  }
  return column;
}

// u+ at the nodes of the column, given `after`, what the taps read of it but for rounding; returns what they read.
template <class T, class Group, std::size_t N>
FDTD_HOST_DEVICE T move(const Group& g, Column<T, N>& column, T after) {
  if (g.tap_count == 1) return column.r[0] = after;
  const T change = after - column.sum;
  FDTD_UNROLL
  for (std::uint32_t j = 0; j < N; ++j) column.r[j] = fused(g.tap[j] * g.inverse_square, change, column.r[j]);
  return tap_value(g, column.r);
}

// How the taps of a group without columns read.
template <class T>
struct LongColumn {
  std::uint32_t column, tap_count;
  std::int64_t step;
  T inverse_square;
  const T (&tap)[max_taps];
};

// Where q, V and G of a node with one site lie. Index: of 64 bits, or of 32 where all indices of the arrays fit.
template <class T, class Index>
struct BranchState {
  T *V, *G, *q;
  Index node, state, stride;  // in q; its first in V and G, and from branch to branch
  FDTD_HOST_DEVICE Index state_of(int b) const { return state + static_cast<Index>(b) * stride; }
};

// The values of such a node before the step: what its taps read, and V and G of its branches.
template <class T, int B>
struct PreviousState {
  T q, V[B], G[B];
};

template <class T, int B, class Index>
FDTD_HOST_DEVICE PreviousState<T, B> previous_state(const BranchState<T, Index>& own, int branches) {
  PreviousState<T, B> previous{};
  FDTD_UNROLL
  for (int b = 0; b < B; ++b) {
    if (b >= branches) continue;
    previous.V[b] = own.V[own.state_of(b)];
    previous.G[b] = own.G[own.state_of(b)];
  }
  previous.q = own.q[own.node];
  return previous;
}

// How the arithmetic of the update is rounded. Whether a node belongs to a face depends on how many of its kind the GPU
// has, and so on where a room is cut into slabs: nodes with one site are rounded as written here, to the bit, in
// whatever launch.
struct FixedRounding {
  template <class T>
  FDTD_HOST_DEVICE static T multiply(T a, T b) {
    return product(a, b);
  }
  template <class T>
  FDTD_HOST_DEVICE static T multiply_add(T a, T b, T c) {
    return fused(a, b, c);
  }
  template <class T>
  FDTD_HOST_DEVICE static T pull(const BranchCoefficients<T>& rule, T V, T G) {
    return fused(-rule.F, G, product(rule.d, V));
  }
};
// The compiler contracts products and sums. For nodes with several sites, which one launch alone works.
struct FreeRounding {
  template <class T>
  FDTD_HOST_DEVICE static T multiply(T a, T b) {
    return a * b;
  }
  template <class T>
  FDTD_HOST_DEVICE static T multiply_add(T a, T b, T c) {
    return a * b + c;
  }
  template <class T>
  FDTD_HOST_DEVICE static T pull(const BranchCoefficients<T>& rule, T V, T G) {
    return rule.d * V - rule.F * G;
  }
};

// A and W- of boundary.hpp at one site.
template <class T>
struct BranchSums {
  T A, W;
};

template <class Rounding, class T>
FDTD_HOST_DEVICE void add_branch(BranchSums<T>& sums, const BranchCoefficients<T>& rule, T pull, T V) {
  sums.A = Rounding::multiply_add(rule.beta, pull, sums.A);
  sums.W += V;
}

// The part of W+ that is known before u+.
template <class Rounding, class T>
FDTD_HOST_DEVICE T known_flow(const BranchSums<T>& sums, const LawCoefficients<T>& law) {
  return Rounding::multiply_add(law.A_part, sums.A, Rounding::multiply(law.W_part, sums.W)) + sums.W;
}

// q+ of a node with the row `value` (Q, scale, loss), q before the step, what its taps read of r, and its sites' known
// flow.
template <class Rounding, class T>
FDTD_HOST_DEVICE T tap_value_after(const T* value, T before, T read, T known) {
  return Rounding::multiply_add(value[1], Rounding::multiply_add(value[0], before, read),
                                -Rounding::multiply(value[2], known));
}

// The pressure that moves a site's branches; half_moved: (q+ - q)/2.
template <class Rounding, class T>
FDTD_HOST_DEVICE T branch_pressure(const BranchSums<T>& sums, const LawCoefficients<T>& law, T half_moved) {
  return Rounding::multiply(Rounding::multiply_add(-law.inertance, sums.A - sums.W, half_moved), law.series);
}

// One branch of a site of this weight: V and G after the step; adds the energy that it takes to `lost`.
template <class Rounding, class T>
FDTD_HOST_DEVICE void update_branch(const BranchCoefficients<T>& rule, T pull, T p, T weight, T& V, T& G,
                                    double& lost) {
  const T V_after = Rounding::multiply(rule.beta, pull + p);
  const T mean = Rounding::multiply(V_after + V, static_cast<T>(0.5));
  V = V_after;
  G += mean;
  const T taken = Rounding::multiply(weight, Rounding::multiply(mean, mean));
  lost = Rounding::multiply_add(rule.E, static_cast<double>(taken), lost);
}

// A node with one site of `branches` branches, at most B; value: its row. Returns the energy lost.
template <class T, int B, class Group, class Index, std::size_t N>
FDTD_HOST_DEVICE double update_branches(const BranchState<T, Index>& own, const PreviousState<T, B>& previous,
                                        const Group& g, const LawCoefficients<T>& law,
                                        const BranchCoefficients<T>* rule, const T* value, Column<T, N>& column,
                                        int branches = B) {
  using Rounding = FixedRounding;
  T pull[B]{};
  BranchSums<T> sums{};
  FDTD_UNROLL
  for (int b = 0; b < B; ++b) {
    if (b >= branches) continue;
    pull[b] = Rounding::pull(rule[b], previous.V[b], previous.G[b]);
    add_branch<Rounding>(sums, rule[b], pull[b], previous.V[b]);
  }
  const T known = product(value[3], known_flow<Rounding>(sums, law));
  const T after = tap_value_after<Rounding>(value, previous.q, column.sum, known);
  own.q[own.node] = move(g, column, after);
  const T half_moved = product(after - previous.q, static_cast<T>(0.5));
  const T p = branch_pressure<Rounding>(sums, law, half_moved);
  double lost = 0.0;
  FDTD_UNROLL
  for (int b = 0; b < B; ++b) {
    if (b >= branches) continue;
    T V = previous.V[b], G = previous.G[b];
    update_branch<Rounding>(rule[b], pull[b], p, value[3], V, G, lost);
    own.V[own.state_of(b)] = V;
    own.G[own.state_of(b)] = G;
  }
  return lost;
}

}  // namespace fdtd::cuda
