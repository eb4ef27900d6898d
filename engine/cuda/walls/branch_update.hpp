// The update of the branches of a boundary node (plan/boundary.hpp), for every launch that works such nodes: what its
// taps read after the step, V and G of its branches, u+ at the nodes of its column. Near-wall corrections have been
// applied before. Group: how a node's taps read, a BoundaryGroup (boundary_groups.hpp) or a FaceColumn (box_faces.hpp).
#pragma once

#include <cstddef>

#include "engine/cuda/gpu/host_device.hpp"
#include "engine/cuda/walls/boundary_sizes.hpp"
#include "engine/plan/branch_equation.hpp"

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

// The state of the branch at `at` in arrays over branches.
template <class T, class Index>
FDTD_HOST_DEVICE BranchValues<T> load_branch(const BranchValues<T*>& arrays, Index at) {
  return each_made([at](const T* values) { return values[at]; }, arrays);
}
template <class T, class Index>
FDTD_HOST_DEVICE void store_branch(const BranchValues<T*>& arrays, Index at, const BranchValues<T>& state) {
  each_value([at](T* values, T value) { values[at] = value; }, arrays, state);
}

// Where q and the branches of a node with one site lie. Index: of 64 bits, or of 32 where all indices of the arrays fit.
template <class T, class Index>
struct BranchState {
  BranchValues<T*> values;
  T* q;
  Index node, state, stride;  // in q; its first branch; from branch to branch
  FDTD_HOST_DEVICE Index state_of(int b) const { return state + static_cast<Index>(b) * stride; }
};

// The values of such a node before the step: what its taps read, and its branches.
template <class T, int B>
struct PreviousState {
  T q;
  BranchValues<T> branch[B];
};

template <class T, int B, class Index>
FDTD_HOST_DEVICE PreviousState<T, B> previous_state(const BranchState<T, Index>& own, int branches) {
  PreviousState<T, B> previous{};
  FDTD_UNROLL
  for (int b = 0; b < B; ++b)
    if (b < branches) previous.branch[b] = load_branch(own.values, own.state_of(b));
  previous.q = own.q[own.node];
  return previous;
}

// The arithmetic of the branch equation (plan/branch_equation.hpp). Whether a node belongs to a face depends on how many
// of its kind the GPU has, and so on where a room is cut into slabs: nodes with one site are rounded as written here, to
// the bit, in whatever launch.
template <class T>
struct FixedRounding {
  FDTD_HOST_DEVICE static T multiply(T a, T b) { return product(a, b); }
  FDTD_HOST_DEVICE static T multiply_add(T a, T b, T c) { return fused(a, b, c); }
  FDTD_HOST_DEVICE static T less(T c, T a, T b) { return fused(-a, b, c); }
  FDTD_HOST_DEVICE static T difference(T a, T b, T c, T d) { return fused(-c, d, product(a, b)); }
  FDTD_HOST_DEVICE static T half(T a) { return product(a, static_cast<T>(0.5)); }
  FDTD_HOST_DEVICE static T kept(T a) { return a; }
  FDTD_HOST_DEVICE static void add(double& lost, double E, T power) {
    lost = fused(E, static_cast<double>(power), lost);
  }
};
// The compiler contracts products and sums. For nodes with several sites, which one launch alone works.
template <class T>
struct FreeRounding {
  FDTD_HOST_DEVICE static T multiply(T a, T b) { return a * b; }
  FDTD_HOST_DEVICE static T multiply_add(T a, T b, T c) { return a * b + c; }
  FDTD_HOST_DEVICE static T less(T c, T a, T b) { return c - a * b; }
  FDTD_HOST_DEVICE static T difference(T a, T b, T c, T d) { return a * b - c * d; }
  FDTD_HOST_DEVICE static T half(T a) { return a * static_cast<T>(0.5); }
  FDTD_HOST_DEVICE static T kept(T a) { return a; }
  FDTD_HOST_DEVICE static void add(double& lost, double E, T power) { lost = E * static_cast<double>(power) + lost; }
};

// The constants of a node with the row `value` (Q, scale, loss, a weight a site).
template <class T>
FDTD_HOST_DEVICE NodeCoefficients<T> node_coefficients(const T* value) {
  return {value[0], value[1], value[2]};
}

// One branch of a site of this weight, from `state` to the state after the step; adds the energy that it dissipates to
// `lost`.
template <class Rounding, class T>
FDTD_HOST_DEVICE void update_branch(const BranchCoefficients<T>& rule, T pull, T p, T weight, BranchValues<T>& state,
                                    double& lost) {
  BranchEquation<Rounding>::step(rule, pull, p, weight, state,
                                 [&lost](double E, T power) { Rounding::add(lost, E, power); });
}

// A node with one site of `branches` branches, at most B; value: its row. Returns the energy lost.
template <class T, int B, class Group, class Index, std::size_t N>
FDTD_HOST_DEVICE double update_branches(const BranchState<T, Index>& own, const PreviousState<T, B>& previous,
                                        const Group& g, const LawCoefficients<T>& law,
                                        const BranchCoefficients<T>* rule, const T* value, Column<T, N>& column,
                                        int branches = B) {
  using Rounding = FixedRounding<T>;
  using Equation = BranchEquation<Rounding>;
  T pull[B]{};
  BranchSums<T> sums{};
  FDTD_UNROLL
  for (int b = 0; b < B; ++b) {
    if (b >= branches) continue;
    pull[b] = Equation::pull(rule[b], previous.branch[b]);
    Equation::add(sums, rule[b], pull[b], previous.branch[b]);
  }
  const T known = product(value[3], Equation::known_flow(law, sums));
  const T after = Equation::node_after(node_coefficients(value), previous.q, column.sum, known);
  own.q[own.node] = move(g, column, after);
  const T half_moved = product(after - previous.q, static_cast<T>(0.5));
  const T p = Equation::pressure(law, sums, half_moved);
  double lost = 0.0;
  FDTD_UNROLL
  for (int b = 0; b < B; ++b) {
    if (b >= branches) continue;
    BranchValues<T> state = previous.branch[b];
    update_branch<Rounding>(rule[b], pull[b], p, value[3], state, lost);
    store_branch(own.values, own.state_of(b), state);
  }
  return lost;
}

}  // namespace fdtd::cuda
