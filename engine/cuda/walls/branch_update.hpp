// boundary.hpp's update of a boundary node that has one site, once nothing is left to correct: what the taps read, q+,
// V and G, and u+ at the column's nodes. The lines are those of all launches that work such nodes, to the bit. Group:
// what says how they read, a SiteGroup (sites.hpp) or a FaceColumn (faces.hpp).
#pragma once

#include "engine/cuda/walls/boundary_groups.hpp"

namespace fdtd::cuda {

// The column's r = S u - u-, corrections applied, and what the taps read of it.
template <class T>
struct Column {
  T r[max_column];
  T sum;
};

// The values of a column's nodes, the first of them at u[at].
template <class T, class Group, class Index>
FDTD_BOTH void load_line(const Group& g, Index at, const T* u, T (&line)[max_column]) {
  FDTD_UNROLL
  for (std::uint32_t j = 0; j < max_column; ++j) line[j] = j < g.column ? u[at + j * g.step] : T{};
}

template <class T, class Group, class Index>
FDTD_BOTH void store_line(const Group& g, Index at, const T (&line)[max_column], T* u) {
  FDTD_UNROLL
  for (std::uint32_t j = 0; j < max_column; ++j)
    if (j < g.column) u[at + j * g.step] = line[j];
}

// What the taps read of a column, in an order and rounding that are the same wherever it is taken.
template <class T, class Group>
FDTD_BOTH T reading(const Group& g, const T (&line)[max_column]) {
  T sum = g.tap[0] * line[0];
  FDTD_UNROLL
  for (std::uint32_t j = 1; j < max_column; ++j)
    if (j < g.tap_count) sum = fused(g.tap[j], line[j], sum);
  return sum;
}

template <class T, class Group>
FDTD_BOTH Column<T> column_of(const Group& g, const T (&r)[max_column]) {
  Column<T> column{};
  FDTD_UNROLL
  for (std::uint32_t j = 0; j < max_column; ++j) {
    column.r[j] = r[j];
    column.sum = fused(g.tap[j], r[j], column.sum);
  }
  return column;
}

// u+ at the column's nodes, `after` what the taps read of it but for rounding; returns what they read.
template <class T, class Group>
FDTD_BOTH T move(const Group& g, Column<T>& column, T after) {
  if (g.tap_count == 1) return column.r[0] = after;
  const T change = after - column.sum;
  FDTD_UNROLL
  for (std::uint32_t j = 0; j < max_column; ++j) column.r[j] = fused(g.tap[j] * g.inverse_square, change, column.r[j]);
  return reading(g, column.r);
}

// Where a node with one site keeps its q, V and G, found by numbers. Index: of 64 bits, or of 32 where all of the
// arrays' places fit.
template <class T, class Index>
struct Kept {
  T *V, *G, *q;
  Index node, state, stride;  // in q; its first in V and G, and from branch to branch
  FDTD_BOTH Index state_of(int b) const { return state + static_cast<Index>(b) * stride; }
};

// What such a node had before the step: what its taps read, and its branches'.
template <class T, int B>
struct Past {
  T q, V[B], G[B];
};

template <class T, int B, class Index>
FDTD_BOTH Past<T, B> past_of(const Kept<T, Index>& kept, int branches) {
  Past<T, B> past{};
  FDTD_UNROLL
  for (int b = 0; b < B; ++b) {
    if (b >= branches) continue;
    past.V[b] = kept.V[kept.state_of(b)];
    past.G[b] = kept.G[kept.state_of(b)];
  }
  past.q = kept.q[kept.node];
  return past;
}

// A node with one site of `branches` branches, at most B; value: its row. Whether a node is a face's depends on how
// many of its kind the GPU has, and so on where a room is cut into slabs: either way the roundings are these, to the
// bit.
template <class T, int B, class Group, class Index>
FDTD_BOTH double settle(const Kept<T, Index>& kept, const Past<T, B>& past, const Group& g,
                        const LawCoefficients<T>& law, const BranchCoefficients<T>* rule, const T* value,
                        Column<T>& column, int branches = B) {
  T pull[B]{}, A{}, W{};
  FDTD_UNROLL
  for (int b = 0; b < B; ++b) {
    if (b >= branches) continue;
    pull[b] = fused(-rule[b].F, past.G[b], product(rule[b].d, past.V[b]));
    A = fused(rule[b].beta, pull[b], A);
    W += past.V[b];
  }
  const T known = product(value[3], fused(law.A_part, A, product(law.W_part, W)) + W);
  const T after = fused(value[1], fused(value[0], past.q, column.sum), -product(value[2], known));
  kept.q[kept.node] = move(g, column, after);
  const T half_moved = product(after - past.q, static_cast<T>(0.5));
  const T p = product(fused(-law.inertance, A - W, half_moved), law.series);
  double lost = 0.0;
  FDTD_UNROLL
  for (int b = 0; b < B; ++b) {
    if (b >= branches) continue;
    const T V_after = product(rule[b].beta, pull[b] + p);
    const T mean = product(V_after + past.V[b], static_cast<T>(0.5));
    kept.V[kept.state_of(b)] = V_after;
    kept.G[kept.state_of(b)] = past.G[b] + mean;
    lost = fused(rule[b].E, static_cast<double>(product(value[3], product(mean, mean))), lost);
  }
  return lost;
}

}  // namespace fdtd::cuda
