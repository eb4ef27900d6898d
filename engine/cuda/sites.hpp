// Boundary -> tables for the GPU: boundary.hpp's update, a thread a boundary node. Nodes whose sites have the same laws form
// a group; in it everything a node is an array over the group's nodes, so that a warp reads V and G side by side whether the
// wall runs along x or across it. What few nodes differ in (weights, patterns near edges) is a row of a small table.
//
// A thread also applies the near-wall corrections (near.hpp) of the nodes that its taps read: no other site has them, and
// they are read and written anyway.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/boundary.hpp"
#include "engine/cuda/near.hpp"

namespace fdtd::cuda {

inline constexpr int site_threads = 128;  // of a block; a block's nodes are of one group
inline constexpr int max_taps = 4;        // of a law

template <class T>
struct BranchRule {
  T beta, d, F;
  double D, E, exact_F;  // for the energies
};
template <class T>
struct LawRule {
  T A_part, W_part;     // h = A_part A + W_part W-: A/(1 + I beta), I beta W-/(1 + I beta)
  T inertance, series;  // series = 1/(1 + I beta)
  double exact_inertance;
  std::uint32_t branch_begin, branch_end;
};

template <class T>
struct SiteGroup {
  std::uint32_t first_block, count, stride;  // stride: of the arrays over the nodes, whole blocks
  std::uint32_t sites, branches;             // branches of one node, over its sites
  std::uint32_t laws;                        // index into law_list
  std::uint32_t tap_count, row_values;       // row_values: Q, scale, loss, a weight a site
  std::int64_t base, step;                   // of node_offset; from tap to tap
  std::uint64_t node, state;                 // first of its nodes (offset, row, q) and of its V and G
  std::uint64_t values, patterns;            // first of its rows in row_value, row_pattern
  T tap[max_taps];
  T inverse_square;  // 1/sum tap^2
};

template <class T>
struct SiteView {
  const SiteGroup<T>* groups;
  const std::uint32_t* group_of_block;
  std::uint32_t blocks;
  const std::uint32_t *node_offset, *node_row;
  const T* row_value;
  const std::uint32_t* row_pattern;  // tap_count a row
  const std::uint32_t* law_list;
  const LawRule<T>* laws;
  const BranchRule<T>* branches;
  T *V, *G;
  T* q[2];          // what the taps read of u- in even and odd steps; u+ of one is u- two steps on
  double* lost[2];  // of the last even and odd step, by block
};

template <class T>
struct SiteTables {
  std::vector<SiteGroup<T>> groups;
  std::vector<std::uint32_t> group_of_block;
  std::vector<std::uint32_t> node_offset, node_row;
  std::vector<std::uint32_t> member;  // index into Boundary::nodes; padding: none
  std::vector<T> row_value;
  std::vector<std::uint32_t> row_pattern, law_list;
  std::vector<LawRule<T>> laws;
  std::vector<BranchRule<T>> branches;
  std::uint64_t states = 0;  // values of V, padding included

  // V or G between the State's order (Boundary::branch_begin) and the groups'.
  void gather(const Boundary& boundary, const T* grouped, T* canonical) const;
  void scatter(const Boundary& boundary, const T* canonical, T* grouped) const;
};

inline constexpr std::uint32_t no_member = 0xFFFFFFFFU;

// The nodes that the boundary's sites read and write, tap by tap from Boundary::nodes[0] on, sorted by node; `place` is
// the number before sorting.
std::vector<Claim> claims_of(const Boundary& boundary, const Layout& layout);

// `pattern` by claim's place. Throws Error (status resource) for laws of more than max_taps taps.
template <class T>
SiteTables<T> pack_sites(const Boundary& boundary, const Layout& layout, const std::vector<std::uint32_t>& pattern);

}  // namespace fdtd::cuda
