// The work of one thread at one boundary node: the update of its branches, and u+ at the nodes of its column.
//
// until_u0() waits until earlier launches of the same step have written u0. All other values that a node needs are
// older, so that they are on their way by then.
#pragma once

#include "engine/cuda/walls/boundary_groups.hpp"
#include "engine/cuda/walls/branch_update.hpp"

namespace fdtd::cuda {

template <class T>
FDTD_HOST_DEVICE BranchState<T, std::uint64_t> branch_state_at(const BoundaryView<T>& s, const BoundaryGroup<T>& g,
                                                               std::uint32_t i, int parity) {
  return {s.state, s.q[parity], g.node + i, g.state + i, g.stride};
}

template <class T, int B, class Wait>
FDTD_HOST_DEVICE double update_node_of_one_site(const BoundaryView<T>& s, const BoundaryGroup<T>& g,
                                                const LawCoefficients<T>& law, const BranchCoefficients<T>* rule,
                                                const T* value, std::uint32_t i, int parity, T* u0,
                                                const Wait& until_u0) {
  const std::int64_t at = g.base + s.node_offset[g.node + i];
  const auto own = branch_state_at(s, g, i, parity);
  const PreviousState<T, B> previous = previous_state<T, B>(own, B);
  until_u0();
  T r[max_column];
  load_line(g, at, u0, r);
  Column<T> column = column_of(g, r);
  const double lost = update_branches<T, B>(own, previous, g, law, rule, value, column);
  store_line(g, at, column.r, u0);
  return lost;
}

template <class T>
using FreeEquation = BranchEquation<FreeRounding<T>>;

// A and W- of the site whose branches begin at `state`.
template <class T>
FDTD_HOST_DEVICE BranchSums<T> branch_sums_at(const BoundaryView<T>& s, const LawCoefficients<T>& law,
                                              std::uint64_t state, std::uint32_t stride) {
  BranchSums<T> sums{};
  for (std::uint32_t b = law.branch_begin; b < law.branch_end; ++b, state += stride) {
    const BranchCoefficients<T>& rule = s.branches[b];
    const BranchValues<T> before = load_branch(s.state, state);
    FreeEquation<T>::add(sums, rule, FreeEquation<T>::pull(rule, before), before);
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

// The state of one node.
template <class T>
struct FewOwn {
  BranchValues<T> branch[few_branches];
  T before, value[3 + few_sites];
  std::int64_t at;
};

template <class T>
FDTD_HOST_DEVICE FewOwn<T> own_of_few(const BoundaryView<T>& s, const BoundaryGroup<T>& g, std::uint32_t i,
                                      int parity) {
  FewOwn<T> own;
  const std::uint32_t row = s.node_row[g.node + i];
  own.at = g.base + s.node_offset[g.node + i];
  own.before = s.q[parity][g.node + i];
  FDTD_UNROLL
  for (std::uint32_t b = 0; b < few_branches; ++b) {
    const std::uint64_t state = g.state + i + std::uint64_t{b} * g.stride;
    own.branch[b] = b < g.branches ? load_branch(s.state, state) : BranchValues<T>{};
  }
  FDTD_UNROLL
  for (std::uint32_t k = 0; k < 3 + few_sites; ++k)
    own.value[k] = k < 3 + g.sites ? s.row_value[g.values + std::uint64_t{row} * g.row_values + k] : T{};
  return own;
}

template <class T>
FDTD_HOST_DEVICE double update_node_of_few_sites(const BoundaryView<T>& s, const BoundaryGroup<T>& g,
                                                 const FewRules<T>& rules, const FewOwn<T>& own, std::uint32_t i,
                                                 int parity, T* u0) {
  T r[max_column];
  load_line(g, own.at, u0, r);
  Column<T> column = column_of(g, r);
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
      FreeEquation<T>::add(sums[k], rule, FreeEquation<T>::pull(rule, own.branch[b]), own.branch[b]);
    }
    known += own.value[3 + k] * FreeEquation<T>::known_flow(rules.law[k], sums[k]);
    begin = end;
  }
  const T after = FreeEquation<T>::node_after(node_coefficients(own.value), own.before, column.sum, known);
  s.q[parity][g.node + i] = move(g, column, after);
  store_line(g, own.at, column.r, u0);
  const T half_moved = (after - own.before) * static_cast<T>(0.5);
  double lost = 0.0;
  begin = 0;
  FDTD_UNROLL
  for (std::uint32_t k = 0; k < few_sites; ++k) {
    if (k >= g.sites) continue;
    const std::uint32_t end = begin + rules.count(k);
    const T p = FreeEquation<T>::pressure(rules.law[k], sums[k], half_moved);
    FDTD_UNROLL
    for (std::uint32_t b = 0; b < few_branches; ++b) {
      if (b < begin || b >= end) continue;
      const BranchCoefficients<T>& rule = rules.branch[b];
      const std::uint64_t state = g.state + i + std::uint64_t{b} * g.stride;
      BranchValues<T> now = own.branch[b];
      update_branch<FreeRounding<T>>(rule, FreeEquation<T>::pull(rule, now), p, own.value[3 + k], now, lost);
      store_branch(s.state, state, now);
    }
    begin = end;
  }
  return lost;
}

// Any number of sites and branches.
template <class T, class Wait>
FDTD_HOST_DEVICE double update_node_of_any_sites(const BoundaryView<T>& s, const BoundaryGroup<T>& g, std::uint32_t i,
                                                 int parity, T* u0, const Wait& until_u0) {
  const T before = s.q[parity][g.node + i];
  const std::uint32_t row = s.node_row[g.node + i];
  const std::int64_t at = g.base + s.node_offset[g.node + i];
  until_u0();
  T r[max_column];
  load_line(g, at, u0, r);
  Column<T> column = column_of(g, r);
  const T* const value = s.row_value + g.values + std::uint64_t{row} * g.row_values;
  T known{};
  std::uint64_t state = g.state + i;
  for (std::uint32_t k = 0; k < g.sites; ++k) {
    const LawCoefficients<T>& law = s.laws[s.law_list[g.laws + k]];
    const BranchSums<T> sums = branch_sums_at(s, law, state, g.stride);
    known += value[3 + k] * FreeEquation<T>::known_flow(law, sums);
    state += std::uint64_t{law.branch_end - law.branch_begin} * g.stride;
  }
  const T after = FreeEquation<T>::node_after(node_coefficients(value), before, column.sum, known);
  s.q[parity][g.node + i] = move(g, column, after);
  store_line(g, at, column.r, u0);
  const T half_moved = (after - before) * static_cast<T>(0.5);
  double lost = 0.0;
  state = g.state + i;
  for (std::uint32_t k = 0; k < g.sites; ++k) {
    const LawCoefficients<T>& law = s.laws[s.law_list[g.laws + k]];
    const BranchSums<T> sums = branch_sums_at(s, law, state, g.stride);
    const T p = FreeEquation<T>::pressure(law, sums, half_moved);
    for (std::uint32_t b = law.branch_begin; b < law.branch_end; ++b, state += g.stride) {
      const BranchCoefficients<T>& rule = s.branches[b];
      BranchValues<T> now = load_branch(s.state, state);
      update_branch<FreeRounding<T>>(rule, FreeEquation<T>::pull(rule, now), p, value[3 + k], now, lost);
      store_branch(s.state, state, now);
    }
  }
  return lost;
}

template <class T, int B, class Wait>
FDTD_HOST_DEVICE double update_node_of_branches(const BoundaryView<T>& s, const BoundaryGroup<T>& g, std::uint32_t i,
                                                int parity, T* u0, const Wait& until_u0) {
  if (g.is_face)
    return update_node_of_one_site<T, B>(s, g, g.face.law, g.face.branch, g.face.value, i, parity, u0, until_u0);
  const LawCoefficients<T>& law = s.laws[s.law_list[g.laws]];
  const T* const value = s.row_value + g.values + std::uint64_t{s.node_row[g.node + i]} * g.row_values;
  return update_node_of_one_site<T, B>(s, g, law, s.branches + law.branch_begin, value, i, parity, u0, until_u0);
}

// The work at node i of a group that update_node_of_few_sites does not take; returns the energy lost. u0 holds the
// room's S u1 - u-.
template <class T, class Wait>
FDTD_HOST_DEVICE double update_boundary_node(const BoundaryView<T>& s, const BoundaryGroup<T>& g, std::uint32_t i,
                                             int parity, T* u0, const Wait& until_u0) {
  if (g.sites > 1 || g.branches > max_face_branches) return update_node_of_any_sites(s, g, i, parity, u0, until_u0);
  switch (g.branches) {
    case 1:
      return update_node_of_branches<T, 1>(s, g, i, parity, u0, until_u0);
    case 2:
      return update_node_of_branches<T, 2>(s, g, i, parity, u0, until_u0);
    case 3:
      return update_node_of_branches<T, 3>(s, g, i, parity, u0, until_u0);
    case 4:
      return update_node_of_branches<T, 4>(s, g, i, parity, u0, until_u0);
    default:
      return update_node_of_branches<T, max_face_branches>(s, g, i, parity, u0, until_u0);
  }
}

// Node i of a group without columns: it has one site. Returns the energy lost.
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
    using Rounding = FixedRounding<T>;
    using Equation = BranchEquation<Rounding>;
    const auto sums = [&] {
      BranchSums<T> all{};
      for (int b = 0; b < branches; ++b) {
        const BranchValues<T> state = load_branch(own.values, own.state_of(b));
        Equation::add(all, rule[b], Equation::pull(rule[b], state), state);
      }
      return all;
    }();
    const T before = own.q[own.node], known = product(value[3], Equation::known_flow(law, sums));
    const T after = Equation::node_after(node_coefficients(value), before, column.sum, known);
    own.q[own.node] = move(taps, column, after);
    const T p = Equation::pressure(law, sums, product(after - before, static_cast<T>(0.5)));
    for (int b = 0; b < branches; ++b) {
      BranchValues<T> state = load_branch(own.values, own.state_of(b));
      update_branch<Rounding>(rule[b], Equation::pull(rule[b], state), p, value[3], state, lost);
      store_branch(own.values, own.state_of(b), state);
    }
  }
  store_line(taps, at, column.r, u0);
  return lost;
}

// The values of u that node i stores for the next steps: those that its taps read.
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
    SiteEnergy energy;
    for (std::uint32_t b = law.branch_begin; b < law.branch_end; ++b, state += g.stride)
      energy.add(s.branches[b].exact,
                 each_made([state](const T* values) { return static_cast<double>(values[state]); }, s.state));
    sum += static_cast<double>(value[3 + k]) * energy.total(law.exact_inertance);
  }
  return 0.5 * sum;
}

}  // namespace fdtd::cuda
