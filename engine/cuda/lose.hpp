// boundary.hpp's update of one boundary node with the corrections of the nodes that it reads: one thread's work.
#pragma once

#include "engine/cuda/near.hpp"
#include "engine/cuda/sites.hpp"

namespace fdtd::cuda {

// A, W- of boundary.hpp at one site.
template <class T>
struct Held {
  T A, W;
};

// sum tap_j u_j in an order and rounding that are the same wherever it is taken: a restart finds the bits that a run left.
template <class T>
FDTD_BOTH T read_taps(const SiteGroup<T>& g, const T* u, std::int64_t at) {
  T sum = g.tap[0] * u[at];
  for (std::uint32_t j = 1; j < g.tap_count; ++j) sum = fused(g.tap[j], u[at + j * g.step], sum);
  return sum;
}

// The taps' r = S u - u-, corrections applied, and what they read of it.
template <class T>
struct Taps {
  T r[max_taps];
  T sum;
};

template <class T>
FDTD_BOTH Taps<T> corrected(const NearView<T>& near, const SiteView<T>& s, const SiteGroup<T>& g, std::uint32_t row,
                            std::int64_t at, const T* u1, const T* u0) {
  const std::uint32_t* const pattern = s.row_pattern + g.patterns + std::uint64_t{row} * g.tap_count;
  Taps<T> taps;
  taps.sum = T{};
  FDTD_UNROLL
  for (std::uint32_t j = 0; j < max_taps; ++j) {
    if (j >= g.tap_count) break;
    const std::int64_t node = at + j * g.step;
    taps.r[j] = u0[node] + near.correction(pattern[j], u1, node);
    taps.sum = fused(g.tap[j], taps.r[j], taps.sum);
  }
  return taps;
}

// Stores u+ at the taps' nodes and what they read of it.
template <class T>
FDTD_BOTH void store(const SiteGroup<T>& g, const Taps<T>& taps, T after, std::int64_t at, T* u0, T* q) {
  if (g.tap_count == 1) {
    u0[at] = after;
    *q = after;
    return;
  }
  const T change = after - taps.sum;
  T sum{};
  FDTD_UNROLL
  for (std::uint32_t j = 0; j < max_taps; ++j) {
    if (j >= g.tap_count) break;
    const T moved = fused(g.tap[j] * g.inverse_square, change, taps.r[j]);
    u0[at + j * g.step] = moved;
    sum = j == 0 ? g.tap[0] * moved : fused(g.tap[j], moved, sum);
  }
  *q = sum;
}

// One site of B branches: its V and G are read once and stay in registers.
template <class T, int B>
FDTD_BOTH double lose_one(const NearView<T>& near, const SiteView<T>& s, const SiteGroup<T>& g, std::uint32_t i,
                          int parity, const T* u1, T* u0) {
  const LawRule<T>& law = s.laws[s.law_list[g.laws]];
  T* const V_at = s.V + g.state + i;
  T* const G_at = s.G + g.state + i;
  T V[B], G[B];
  const BranchRule<T>* const rule = s.branches + law.branch_begin;
  FDTD_UNROLL
  for (int b = 0; b < B; ++b) {
    V[b] = V_at[std::int64_t{b} * g.stride];
    G[b] = G_at[std::int64_t{b} * g.stride];
  }
  T* const q = s.q[parity] + g.node + i;
  const T before = *q;
  const std::uint32_t row = s.node_row[g.node + i];
  const std::int64_t at = g.base + s.node_offset[g.node + i];
  const Taps<T> taps = corrected(near, s, g, row, at, u1, u0);
  const T* const value = s.row_value + g.values + std::uint64_t{row} * g.row_values;  // Q, scale, loss, weight
  T A{}, W{};
  FDTD_UNROLL
  for (int b = 0; b < B; ++b) {
    A += rule[b].beta * (rule[b].d * V[b] - rule[b].F * G[b]);
    W += V[b];
  }
  const T known = value[3] * ((law.A_part * A + law.W_part * W) + W);
  const T after = value[1] * (taps.sum + value[0] * before) - value[2] * known;
  store(g, taps, after, at, u0, q);
  const T half_moved = (after - before) * static_cast<T>(0.5);
  const T p = (half_moved - law.inertance * (A - W)) * law.series;
  double lost = 0.0;
  FDTD_UNROLL
  for (int b = 0; b < B; ++b) {
    const T V_after = rule[b].beta * ((rule[b].d * V[b] - rule[b].F * G[b]) + p);
    const T mean = (V_after + V[b]) * static_cast<T>(0.5);
    V_at[std::int64_t{b} * g.stride] = V_after;
    G_at[std::int64_t{b} * g.stride] = G[b] + mean;
    lost += rule[b].E * static_cast<double>(value[3] * (mean * mean));
  }
  return lost;
}

// A and W- of the site whose branches begin at `state`.
template <class T>
FDTD_BOTH Held<T> held_at(const SiteView<T>& s, const LawRule<T>& law, std::uint64_t state, std::uint32_t stride) {
  Held<T> held{};
  for (std::uint32_t b = law.branch_begin; b < law.branch_end; ++b, state += stride) {
    const BranchRule<T>& rule = s.branches[b];
    held.A += rule.beta * (rule.d * s.V[state] - rule.F * s.G[state]);
    held.W += s.V[state];
  }
  return held;
}

// Any number of sites and branches: edges, corners, laws of many branches.
template <class T>
FDTD_BOTH double lose_any(const NearView<T>& near, const SiteView<T>& s, const SiteGroup<T>& g, std::uint32_t i,
                          int parity, const T* u1, T* u0) {
  T* const q = s.q[parity] + g.node + i;
  const T before = *q;
  const std::uint32_t row = s.node_row[g.node + i];
  const std::int64_t at = g.base + s.node_offset[g.node + i];
  const Taps<T> taps = corrected(near, s, g, row, at, u1, u0);
  const T* const value = s.row_value + g.values + std::uint64_t{row} * g.row_values;
  T known{};
  std::uint64_t state = g.state + i;
  for (std::uint32_t k = 0; k < g.sites; ++k) {
    const LawRule<T>& law = s.laws[s.law_list[g.laws + k]];
    const Held<T> held = held_at(s, law, state, g.stride);
    known += value[3 + k] * ((law.A_part * held.A + law.W_part * held.W) + held.W);
    state += std::uint64_t{law.branch_end - law.branch_begin} * g.stride;
  }
  const T after = value[1] * (taps.sum + value[0] * before) - value[2] * known;
  store(g, taps, after, at, u0, q);
  const T half_moved = (after - before) * static_cast<T>(0.5);
  double lost = 0.0;
  state = g.state + i;
  for (std::uint32_t k = 0; k < g.sites; ++k) {
    const LawRule<T>& law = s.laws[s.law_list[g.laws + k]];
    const Held<T> held = held_at(s, law, state, g.stride);
    const T p = (half_moved - law.inertance * (held.A - held.W)) * law.series;
    for (std::uint32_t b = law.branch_begin; b < law.branch_end; ++b, state += g.stride) {
      const BranchRule<T>& rule = s.branches[b];
      const T V = s.V[state], G = s.G[state];
      const T V_after = rule.beta * ((rule.d * V - rule.F * G) + p);
      const T mean = (V_after + V) * static_cast<T>(0.5);
      s.V[state] = V_after;
      s.G[state] = G + mean;
      lost += rule.E * static_cast<double>(value[3 + k] * (mean * mean));
    }
  }
  return lost;
}

// The work of one thread of a block of sites; returns the energy lost. u0 holds the open box's S u1 - u-.
template <class T>
FDTD_BOTH double lose(const NearView<T>& near, const SiteView<T>& s, std::uint32_t block, std::uint32_t thread,
                      int parity, const T* u1, T* u0) {
  const SiteGroup<T>& g = s.groups[s.group_of_block[block]];
  const std::uint32_t i = (block - g.first_block) * site_threads + thread;
  if (i >= g.count) return 0.0;
  if (g.sites == 1) {
    switch (g.branches) {
      case 1:
        return lose_one<T, 1>(near, s, g, i, parity, u1, u0);
      case 2:
        return lose_one<T, 2>(near, s, g, i, parity, u1, u0);
      case 3:
        return lose_one<T, 3>(near, s, g, i, parity, u1, u0);
      case 4:
        return lose_one<T, 4>(near, s, g, i, parity, u1, u0);
      case 5:
        return lose_one<T, 5>(near, s, g, i, parity, u1, u0);
      default:
        break;
    }
  }
  return lose_any(near, s, g, i, parity, u1, u0);
}

// What a thread's taps read of u, for the next step of this parity.
template <class T>
FDTD_BOTH void read_before(const SiteView<T>& s, std::uint32_t block, std::uint32_t thread, int parity, const T* u) {
  const SiteGroup<T>& g = s.groups[s.group_of_block[block]];
  const std::uint32_t i = (block - g.first_block) * site_threads + thread;
  if (i < g.count) s.q[parity][g.node + i] = read_taps(g, u, g.base + s.node_offset[g.node + i]);
}

// The thread's part of 1/2 <u+, (2 - S) u> that the corrections of its nodes make, and what its branches hold.
template <class T>
FDTD_BOTH double stored(const NearView<T>& near, const SiteView<T>& s, std::uint32_t block, std::uint32_t thread,
                        const T* after, const T* u) {
  const SiteGroup<T>& g = s.groups[s.group_of_block[block]];
  const std::uint32_t i = (block - g.first_block) * site_threads + thread;
  if (i >= g.count) return 0.0;
  const std::uint32_t row = s.node_row[g.node + i];
  const std::int64_t at = g.base + s.node_offset[g.node + i];
  const std::uint32_t* const pattern = s.row_pattern + g.patterns + std::uint64_t{row} * g.tap_count;
  double sum = 0.0;
  for (std::uint32_t j = 0; j < g.tap_count; ++j) {
    const std::int64_t node = at + j * g.step;
    sum -= static_cast<double>(after[node]) * near.exact_correction(pattern[j], u, node);
  }
  const T* const value = s.row_value + g.values + std::uint64_t{row} * g.row_values;
  std::uint64_t state = g.state + i;
  for (std::uint32_t k = 0; k < g.sites; ++k) {
    const LawRule<T>& law = s.laws[s.law_list[g.laws + k]];
    double W = 0.0, held = 0.0;
    for (std::uint32_t b = law.branch_begin; b < law.branch_end; ++b, state += g.stride) {
      const double V = static_cast<double>(s.V[state]), G = static_cast<double>(s.G[state]);
      W += V;
      held += s.branches[b].D * V * V + s.branches[b].exact_F * G * G;
    }
    sum += static_cast<double>(value[3 + k]) * (law.exact_inertance * W * W + held);
  }
  return 0.5 * sum;
}

}  // namespace fdtd::cuda
