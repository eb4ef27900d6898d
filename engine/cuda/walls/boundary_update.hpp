// The work of one thread at one boundary node: near-wall corrections of its column, then the update of its branches.
#pragma once

#include "engine/cuda/walls/boundary_groups.hpp"
#include "engine/cuda/walls/branch_update.hpp"
#include "engine/cuda/walls/near_wall.hpp"

namespace fdtd::cuda {

// The column's values from the copy that the group stores node by node.
template <class T>
FDTD_HOST_DEVICE void load_line_copy(const BoundaryView<T>& s, const BoundaryGroup<T>& g, std::uint32_t i, int parity,
                                     T (&line)[max_column]) {
  FDTD_UNROLL
  for (std::uint32_t j = 0; j < max_column; ++j)
    line[j] = j < g.column ? s.line[parity][g.line + i + std::uint64_t{j} * g.stride] : T{};
}

template <class T>
FDTD_HOST_DEVICE void store_line_copy(const BoundaryView<T>& s, const BoundaryGroup<T>& g, std::uint32_t i, int parity,
                                      const T (&line)[max_column]) {
  FDTD_UNROLL
  for (std::uint32_t j = 0; j < max_column; ++j)
    if (j < g.column) s.line[parity][g.line + i + std::uint64_t{j} * g.stride] = line[j];
}

template <class T>
FDTD_HOST_DEVICE Column<T> corrected(const NearView<T>& near, const std::uint32_t* pattern, const BoundaryGroup<T>& g,
                                     std::int64_t at, const T* u1, const T (&u0)[max_column]) {
  T r[max_column];
  FDTD_UNROLL
  for (std::uint32_t j = 0; j < max_column; ++j)
    r[j] = j < g.column ? u0[j] + near.correction(pattern[j], u1, at + j * g.step) : T{};
  return column_of(g, r);
}

// The same with the entries that a face stores; i: the node's number in the group.
template <class T>
FDTD_HOST_DEVICE Column<T> corrected_on_face([[maybe_unused]] const NearView<T>& near, const BoundaryGroup<T>& g,
                                             [[maybe_unused]] std::uint32_t i, std::int64_t at, const T* u1,
                                             const T (&u0)[max_column]) {
  T sum[max_column] = {}, r[max_column];
  const auto add = [&](const ColumnEntry<T>& entry, T value) {
    FDTD_UNROLL
    for (std::uint32_t j = 0; j < max_column; ++j) sum[j] = fused(entry.weight[j], value, sum[j]);
  };
#ifdef __CUDA_ARCH__
  if (g.face.across) {
    const std::uint32_t of_warp = g.count - (i - threadIdx.x % 32);
    const unsigned lanes = of_warp >= 32 ? 0xFFFFFFFFU : (1U << of_warp) - 1;
    const LanesBeside beside = lanes_beside(lanes, at, near.row);
    ReadAcross<T, max_registers> read;
    for (std::uint32_t e = 0; e < g.face.entries; ++e) {
      const ColumnEntry<T>& entry = g.face.entry[e];
      add(entry, read(beside, entry.offset, entry.step, u1, at, near.row));
    }
  } else
#endif
  {
    FDTD_UNROLL_4
    for (std::uint32_t e = 0; e < g.face.entries; ++e) add(g.face.entry[e], u1[at + g.face.entry[e].offset]);
  }
  FDTD_UNROLL
  for (std::uint32_t j = 0; j < max_column; ++j) r[j] = u0[j] + sum[j];
  return column_of(g, r);
}

// The same where corrections read the column alone, in the order of the array, which is that of the entries.
template <class T>
FDTD_HOST_DEVICE Column<T> corrected_inward(const BoundaryGroup<T>& g, const T (&u1)[max_column],
                                            const T (&u0)[max_column]) {
  T r[max_column];
  FDTD_UNROLL
  for (std::uint32_t j = 0; j < max_column; ++j) {
    T sum{};
    FDTD_UNROLL
    for (std::uint32_t k = 0; k < max_column; ++k) {
      const std::uint32_t last = max_column - 1 - k;
      sum = g.step > 0 ? fused(g.face.weight[j][k], u1[k], sum) : fused(g.face.weight[j][last], u1[last], sum);
    }
    r[j] = u0[j] + sum;
  }
  return column_of(g, r);
}

template <class T>
FDTD_HOST_DEVICE BranchState<T, std::uint64_t> branch_state_at(const BoundaryView<T>& s, const BoundaryGroup<T>& g,
                                                               std::uint32_t i, int parity) {
  return {s.V, s.G, s.q[parity], g.node + i, g.state + i, g.stride};
}

// corrects: u0 comes without the near-wall rows, because the kernel has not mirrored the walls (ImageWalls).
template <class T, bool corrects, int B>
FDTD_HOST_DEVICE double update_face_node(const NearView<T>& near, const BoundaryView<T>& s, const BoundaryGroup<T>& g,
                                         std::uint32_t i, int parity, const T* u1, T* u0) {
  const std::int64_t at = g.base + s.node_offset[g.node + i];
  T bare[max_column];
  [[maybe_unused]] T line[max_column];
  load_line(g, at, u0, bare);
  Column<T> column;
  if constexpr (!corrects) {
    column = column_of(g, bare);
  } else {
    if (g.has_line_copy)
      load_line_copy(s, g, i, 1 - parity, line);
    else if (g.face.inward_only)
      load_line(g, at, u1, line);
    column = g.face.inward_only ? corrected_inward(g, line, bare) : corrected_on_face(near, g, i, at, u1, bare);
  }
  const auto own = branch_state_at(s, g, i, parity);
  const double lost =
      update_branches<T, B>(own, previous_state<T, B>(own, B), g, g.face.law, g.face.branch, g.face.value, column);
  store_line(g, at, column.r, u0);
  if (corrects && g.has_line_copy) store_line_copy(s, g, i, parity, column.r);
  return lost;
}

template <class T, bool corrects, int B>
FDTD_HOST_DEVICE double update_node_of_one_site(const NearView<T>& near, const BoundaryView<T>& s,
                                                const BoundaryGroup<T>& g, std::uint32_t i, int parity, const T* u1,
                                                T* u0) {
  const std::int64_t at = g.base + s.node_offset[g.node + i];
  const std::uint32_t row = s.node_row[g.node + i];
  T bare[max_column];
  load_line(g, at, u0, bare);
  Column<T> column = corrects
                         ? corrected(near, s.row_pattern + g.patterns + std::uint64_t{row} * g.column, g, at, u1, bare)
                         : column_of(g, bare);
  const LawCoefficients<T>& law = s.laws[s.law_list[g.laws]];
  const auto own = branch_state_at(s, g, i, parity);
  const double lost = update_branches<T, B>(own, previous_state<T, B>(own, B), g, law, s.branches + law.branch_begin,
                                            s.row_value + g.values + std::uint64_t{row} * g.row_values, column);
  store_line(g, at, column.r, u0);
  return lost;
}

// A and W- of the site whose branches begin at `state`.
template <class T>
FDTD_HOST_DEVICE BranchSums<T> branch_sums_at(const BoundaryView<T>& s, const LawCoefficients<T>& law,
                                              std::uint64_t state, std::uint32_t stride) {
  BranchSums<T> sums{};
  for (std::uint32_t b = law.branch_begin; b < law.branch_end; ++b, state += stride) {
    const BranchCoefficients<T>& rule = s.branches[b];
    add_branch<FreeRounding>(sums, rule, FreeRounding::pull(rule, s.V[state], s.G[state]), s.V[state]);
  }
  return sums;
}

// Nodes of several sites with few branches in all, as most edges and corners are: a thread loads all that it needs at
// once.
inline constexpr std::uint32_t few_sites = 3, few_branches = 6;
template <class T>
FDTD_HOST_DEVICE bool has_few(const BoundaryGroup<T>& g) {
  return g.sites > 1 && g.sites <= few_sites && g.branches <= few_branches;
}

// The rules of such a group's laws; branches of all of its sites one after the other.
template <class T>
struct FewRules {
  LawCoefficients<T> law[few_sites];
  BranchCoefficients<T> branch[few_branches];

  // Number `b` of the group's branches, once the laws are there.
  FDTD_HOST_DEVICE void take_branch(const BoundaryView<T>& s, std::uint32_t b) {
    std::uint32_t of_site = b, k = 0;
    for (; of_site >= count(k); ++k) of_site -= count(k);
    branch[b] = s.branches[law[k].branch_begin + of_site];
  }
  FDTD_HOST_DEVICE std::uint32_t count(std::uint32_t site) const {
    return law[site].branch_end - law[site].branch_begin;
  }
};

// What belongs to one node.
template <class T>
struct FewOwn {
  T V[few_branches], G[few_branches], before, value[3 + few_sites], r[max_column];
  std::int64_t at;
  std::uint32_t row;
};

template <class T>
FDTD_HOST_DEVICE FewOwn<T> own_of_few(const BoundaryView<T>& s, const BoundaryGroup<T>& g, std::uint32_t i, int parity,
                                      const T* u0) {
  FewOwn<T> own;
  own.row = s.node_row[g.node + i];
  own.at = g.base + s.node_offset[g.node + i];
  own.before = s.q[parity][g.node + i];
  FDTD_UNROLL
  for (std::uint32_t b = 0; b < few_branches; ++b) {
    own.V[b] = b < g.branches ? s.V[g.state + i + std::uint64_t{b} * g.stride] : T{};
    own.G[b] = b < g.branches ? s.G[g.state + i + std::uint64_t{b} * g.stride] : T{};
  }
  load_line(g, own.at, u0, own.r);
  FDTD_UNROLL
  for (std::uint32_t k = 0; k < 3 + few_sites; ++k)
    own.value[k] = k < 3 + g.sites ? s.row_value[g.values + std::uint64_t{own.row} * g.row_values + k] : T{};
  return own;
}

template <class T, bool corrects>
FDTD_HOST_DEVICE double update_node_of_few_sites(const NearView<T>& near, const BoundaryView<T>& s,
                                                 const BoundaryGroup<T>& g, const FewRules<T>& rules,
                                                 const FewOwn<T>& own, std::uint32_t i, int parity, const T* u1,
                                                 T* u0) {
  Column<T> column =
      corrects ? corrected(near, s.row_pattern + g.patterns + std::uint64_t{own.row} * g.column, g, own.at, u1, own.r)
               : column_of(g, own.r);
  BranchSums<T> sums[few_sites];
  T known{};
  std::uint32_t begin = 0;
  FDTD_UNROLL
  for (std::uint32_t k = 0; k < few_sites; ++k) {
    sums[k] = {};
    if (k >= g.sites) continue;
    const std::uint32_t end = begin + rules.count(k);
    FDTD_UNROLL
    for (std::uint32_t b = 0; b < few_branches; ++b) {
      if (b < begin || b >= end) continue;
      const BranchCoefficients<T>& rule = rules.branch[b];
      add_branch<FreeRounding>(sums[k], rule, FreeRounding::pull(rule, own.V[b], own.G[b]), own.V[b]);
    }
    known += own.value[3 + k] * known_flow<FreeRounding>(sums[k], rules.law[k]);
    begin = end;
  }
  const T after = tap_value_after<FreeRounding>(own.value, own.before, column.sum, known);
  s.q[parity][g.node + i] = move(g, column, after);
  store_line(g, own.at, column.r, u0);
  const T half_moved = (after - own.before) * static_cast<T>(0.5);
  double lost = 0.0;
  begin = 0;
  FDTD_UNROLL
  for (std::uint32_t k = 0; k < few_sites; ++k) {
    if (k >= g.sites) continue;
    const std::uint32_t end = begin + rules.count(k);
    const T p = branch_pressure<FreeRounding>(sums[k], rules.law[k], half_moved);
    FDTD_UNROLL
    for (std::uint32_t b = 0; b < few_branches; ++b) {
      if (b < begin || b >= end) continue;
      const BranchCoefficients<T>& rule = rules.branch[b];
      const std::uint64_t state = g.state + i + std::uint64_t{b} * g.stride;
      T V = own.V[b], G = own.G[b];
      update_branch<FreeRounding>(rule, FreeRounding::pull(rule, V, G), p, own.value[3 + k], V, G, lost);
      s.V[state] = V;
      s.G[state] = G;
    }
    begin = end;
  }
  return lost;
}

// Any number of sites and branches.
template <class T, bool corrects>
FDTD_HOST_DEVICE double update_node_of_any_sites(const NearView<T>& near, const BoundaryView<T>& s,
                                                 const BoundaryGroup<T>& g, std::uint32_t i, int parity, const T* u1,
                                                 T* u0) {
  const T before = s.q[parity][g.node + i];
  const std::uint32_t row = s.node_row[g.node + i];
  const std::int64_t at = g.base + s.node_offset[g.node + i];
  T r[max_column];
  load_line(g, at, u0, r);
  Column<T> column = corrects
                         ? corrected(near, s.row_pattern + g.patterns + std::uint64_t{row} * g.column, g, at, u1, r)
                         : column_of(g, r);
  const T* const value = s.row_value + g.values + std::uint64_t{row} * g.row_values;
  T known{};
  std::uint64_t state = g.state + i;
  for (std::uint32_t k = 0; k < g.sites; ++k) {
    const LawCoefficients<T>& law = s.laws[s.law_list[g.laws + k]];
    const BranchSums<T> sums = branch_sums_at(s, law, state, g.stride);
    known += value[3 + k] * known_flow<FreeRounding>(sums, law);
    state += std::uint64_t{law.branch_end - law.branch_begin} * g.stride;
  }
  const T after = tap_value_after<FreeRounding>(value, before, column.sum, known);
  s.q[parity][g.node + i] = move(g, column, after);
  store_line(g, at, column.r, u0);
  const T half_moved = (after - before) * static_cast<T>(0.5);
  double lost = 0.0;
  state = g.state + i;
  for (std::uint32_t k = 0; k < g.sites; ++k) {
    const LawCoefficients<T>& law = s.laws[s.law_list[g.laws + k]];
    const BranchSums<T> sums = branch_sums_at(s, law, state, g.stride);
    const T p = branch_pressure<FreeRounding>(sums, law, half_moved);
    for (std::uint32_t b = law.branch_begin; b < law.branch_end; ++b, state += g.stride) {
      const BranchCoefficients<T>& rule = s.branches[b];
      T V = s.V[state], G = s.G[state];
      update_branch<FreeRounding>(rule, FreeRounding::pull(rule, V, G), p, value[3 + k], V, G, lost);
      s.V[state] = V;
      s.G[state] = G;
    }
  }
  return lost;
}

template <class T, bool corrects, int B>
FDTD_HOST_DEVICE double update_node_of_branches(const NearView<T>& near, const BoundaryView<T>& s,
                                                const BoundaryGroup<T>& g, std::uint32_t i, int parity, const T* u1,
                                                T* u0) {
  return g.is_face ? update_face_node<T, corrects, B>(near, s, g, i, parity, u1, u0)
                   : update_node_of_one_site<T, corrects, B>(near, s, g, i, parity, u1, u0);
}

// The work at node i of a group that update_node_of_few_sites does not take; returns the energy lost. u0 holds S u1 -
// u-, S the open box's or, where the kernel mirrors the walls and nothing is to be corrected, the room's.
template <class T, bool corrects>
FDTD_HOST_DEVICE double update_boundary_node(const NearView<T>& near, const BoundaryView<T>& s,
                                             const BoundaryGroup<T>& g, std::uint32_t i, int parity, const T* u1,
                                             T* u0) {
  if (g.sites > 1 || g.branches > max_face_branches)
    return update_node_of_any_sites<T, corrects>(near, s, g, i, parity, u1, u0);
  switch (g.branches) {
    case 1:
      return update_node_of_branches<T, corrects, 1>(near, s, g, i, parity, u1, u0);
    case 2:
      return update_node_of_branches<T, corrects, 2>(near, s, g, i, parity, u1, u0);
    case 3:
      return update_node_of_branches<T, corrects, 3>(near, s, g, i, parity, u1, u0);
    case 4:
      return update_node_of_branches<T, corrects, 4>(near, s, g, i, parity, u1, u0);
    default:
      return update_node_of_branches<T, corrects, max_face_branches>(near, s, g, i, parity, u1, u0);
  }
}

// Node i of a group without columns, whose corrections have been applied: it has one site. Returns the energy lost.
template <class T>
FDTD_HOST_DEVICE double update_long_node(const BoundaryView<T>& s, const BoundaryGroup<T>& g, std::uint32_t i,
                                         int parity, T* u0) {
  const LongColumn<T> taps{g.tap_count, g.tap_count, g.step, g.inverse_square, g.tap};
  const std::int64_t at = g.base + s.node_offset[g.node + i];
  const std::uint32_t row = s.node_row[g.node + i];
  T r[max_taps];
  load_line(taps, at, u0, r);
  Column<T, max_taps> column = column_of(taps, r);
  const LawCoefficients<T>& law = s.laws[s.law_list[g.laws]];
  const BranchCoefficients<T>* const rule = s.branches + law.branch_begin;
  const T* const value = s.row_value + g.values + std::uint64_t{row} * g.row_values;
  const auto own = branch_state_at(s, g, i, parity);
  const auto branches = static_cast<int>(g.branches);
  double lost = 0.0;
  if (branches <= max_face_branches) {
    lost = update_branches<T, max_face_branches>(own, previous_state<T, max_face_branches>(own, branches), taps, law,
                                                 rule, value, column, branches);
  } else {
    using Rounding = FixedRounding;
    const auto sums = [&] {
      BranchSums<T> all{};
      for (int b = 0; b < branches; ++b) {
        const T V = own.V[own.state_of(b)];
        add_branch<Rounding>(all, rule[b], Rounding::pull(rule[b], V, own.G[own.state_of(b)]), V);
      }
      return all;
    }();
    const T before = own.q[own.node], known = product(value[3], known_flow<Rounding>(sums, law));
    const T after = tap_value_after<Rounding>(value, before, column.sum, known);
    own.q[own.node] = move(taps, column, after);
    const T p = branch_pressure<Rounding>(sums, law, product(after - before, static_cast<T>(0.5)));
    for (int b = 0; b < branches; ++b) {
      T V = own.V[own.state_of(b)], G = own.G[own.state_of(b)];
      update_branch<Rounding>(rule[b], Rounding::pull(rule[b], V, G), p, value[3], V, G, lost);
      own.V[own.state_of(b)] = V;
      own.G[own.state_of(b)] = G;
    }
  }
  store_line(taps, at, column.r, u0);
  return lost;
}

// What node i stores of u for the next steps: what its taps read, and its column.
template <class T>
FDTD_HOST_DEVICE void gather_taps_at(const BoundaryView<T>& s, std::uint32_t block, std::uint32_t thread, int parity,
                                     const T* u) {
  const BoundaryGroup<T>& g = s.groups[s.group_of_block[block]];
  const std::uint32_t i = (block - g.first_block) * boundary_threads + thread;
  if (i >= g.count) return;
  const std::int64_t at = g.base + s.node_offset[g.node + i];
  if (is_long(g)) {
    const LongColumn<T> taps{g.tap_count, g.tap_count, g.step, g.inverse_square, g.tap};
    T read[max_taps];
    load_line(taps, at, u, read);
    s.q[parity][g.node + i] = tap_value(taps, read);
    return;
  }
  T line[max_column];
  load_line(g, at, u, line);
  s.q[parity][g.node + i] = tap_value(g, line);
  if (g.has_line_copy) store_line_copy(s, g, i, parity, line);
}

// The energy stored in the branches of the node at `place`.
template <class T>
FDTD_HOST_DEVICE double stored_energy(const BoundaryView<T>& s, std::uint32_t place) {
  const BoundaryGroup<T>& g = s.groups[s.group_of_block[place / boundary_threads]];
  const std::uint64_t i = place - g.node;
  const T* const value = s.row_value + g.values + std::uint64_t{s.node_row[place]} * g.row_values;
  std::uint64_t state = g.state + i;
  double sum = 0.0;
  for (std::uint32_t k = 0; k < g.sites; ++k) {
    const LawCoefficients<T>& law = s.laws[s.law_list[g.laws + k]];
    double W = 0.0, of_branches = 0.0;
    for (std::uint32_t b = law.branch_begin; b < law.branch_end; ++b, state += g.stride) {
      const double V = static_cast<double>(s.V[state]), G = static_cast<double>(s.G[state]);
      W += V;
      of_branches += s.branches[b].D * V * V + s.branches[b].exact_F * G * G;
    }
    sum += static_cast<double>(value[3 + k]) * (law.exact_inertance * W * W + of_branches);
  }
  return 0.5 * sum;
}

}  // namespace fdtd::cuda
