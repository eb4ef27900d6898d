// The boundary nodes of a plan as arrays for the GPU, grouped by law; one thread updates one node (plan/boundary.hpp).
//
// Nodes whose sites have the same laws form a group. Within a group every quantity of a node is an array over the
// group's nodes (a structure of arrays), so that a warp reads V and G side by side whether the wall runs along x or
// across it. What differs from node to node (weights, near-wall patterns) is a row of a table. Most nodes of a wall are
// equal to the last weight: nodes of one row form a group of their own, a face. A face stores its row once (Face), a
// block waits for it once, and a thread reads its node's own values alone.
//
// A thread also applies the near-wall corrections (near_wall.hpp) of the nodes that its taps read, and of those behind
// them that the stencil still joins to the wall: its column. No other thread works these nodes; where walls are across
// x they lie in a sector that the thread reads and writes anyway. A group whose taps are more than a column holds has
// no columns: a launch of its own works it after all corrections.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/cuda/walls/boundary_sizes.hpp"
#include "engine/cuda/walls/columns.hpp"
#include "engine/cuda/walls/near_wall.hpp"
#include "engine/plan/boundary.hpp"

namespace fdtd::cuda {

inline constexpr std::uint32_t max_face_entries = 256;             // that the nodes of its column read
inline constexpr std::uint32_t face_nodes = 4 * boundary_threads;  // so many equal nodes are worth a group of their own

// A node that the corrections of a column read, with its weight in each of them: several read most nodes.
template <class T>
struct ColumnEntry {
  T weight[max_column];
  std::int32_t offset;  // in the array, from the column's first node
  std::uint32_t step;   // near_wall_across_x.hpp's
};

// What the nodes of a face have in common; each has one site, of this law. The largest member comes last: a block
// copies no more of it than the room needs (BoundaryView::group_words).
template <class T>
struct Face {
  LawCoefficients<T> law;
  BranchCoefficients<T> branch[max_face_branches];
  T value[4];                        // its row: Q, scale, loss, weight
  bool inward_only;                  // the corrections read nodes of the column alone, with these weights
  T weight[max_column][max_column];  // [corrected node][node read]
  std::uint32_t entries;             // else: what they read, in the order of each node's corrections
  bool across;                       // they go across (near_wall_across_x.hpp)
  ColumnEntry<T> entry[max_face_entries];
};

template <class T>
struct BoundaryGroup {
  std::uint32_t first_block, count, stride;  // stride: of the arrays over the nodes, whole blocks
  std::uint32_t sites, branches;             // branches of one node, over its sites
  std::uint32_t laws;                        // index into law_list
  std::uint32_t tap_count, column;  // column: nodes whose corrections are the thread's, at least its taps, or none
  std::uint32_t row_values;         // Q, scale, loss, a weight a site
  bool is_face;                     // one row: node_row is 0
  std::int64_t base, step;          // of node_offset; from node to node of a column
  std::uint64_t node, state;        // first of its nodes (offset, row, q) and of its V and G
  std::uint64_t values, patterns;   // first of its rows in row_value, row_pattern
  std::uint64_t line;               // first of its columns in BoundaryView::line
  bool has_line_copy;               // a face across x whose corrections read the column alone
  T tap[max_taps];                  // 0 behind the taps
  T inverse_square;                 // 1/sum tap^2
  Face<T> face;
};

// Does it read more nodes than a column holds?
template <class T>
FDTD_HOST_DEVICE bool is_long(const BoundaryGroup<T>& g) {
  return g.column == 0;
}

template <class T>
struct BoundaryView {
  const BoundaryGroup<T>* groups;
  const std::uint32_t* group_of_block;
  std::uint32_t blocks;
  std::uint32_t general_blocks;  // the first so many; those without columns, box_faces.hpp and row_ends.hpp follow
  const std::uint32_t *node_offset, *node_row;
  const T* row_value;
  const std::uint32_t* row_pattern;  // column a row
  const std::uint32_t* law_list;
  const LawCoefficients<T>* laws;
  const BranchCoefficients<T>* branches;
  T *V, *G;
  T* q[2];     // what the taps read of u- in even and odd steps; u+ of one is u- two steps on
  T* line[2];  // columns of faces across x: of u+ in even and odd steps, node by node of the group, then the next layer
  T* lost[2];  // energy lost in the last even and odd step
  std::uint32_t group_words;  // of 4 bytes: what of a BoundaryGroup is used
  std::uint32_t long_blocks;  // of groups without columns, behind the general ones
};

template <class T>
struct BoundaryTables {
  std::vector<BoundaryGroup<T>> groups;
  std::vector<std::uint32_t> group_of_block;
  std::uint32_t general_blocks = 0, long_blocks = 0;
  std::vector<std::uint32_t> node_offset, node_row;
  std::vector<std::uint32_t> member;  // index into Boundary::nodes; padding: none
  std::vector<T> row_value;
  std::vector<std::uint32_t> row_pattern, law_list;
  std::vector<LawCoefficients<T>> laws;
  std::vector<BranchCoefficients<T>> branches;
  std::uint64_t states = 0;  // values of V, padding included
  std::uint64_t lines = 0;   // values of BoundaryView::line
  std::uint32_t group_words = words_with(0);

  static std::uint32_t words_with(std::uint32_t entries) {
    return static_cast<std::uint32_t>(
        (sizeof(BoundaryGroup<T>) - (max_face_entries - entries) * sizeof(ColumnEntry<T>)) / 4);
  }
  // V or G between the State's order (Boundary::branch_begin) and the groups'.
  void gather(const Boundary& boundary, const T* grouped, T* canonical) const;
  void scatter(const Boundary& boundary, const T* canonical, T* grouped) const;
};

// So many equal nodes become a face; results do not depend on the number.
template <class T>
BoundaryTables<T> pack_boundary(const Boundary& boundary, const Layout& layout, const Columns& columns,
                                const NearTables<T>& near, std::uint32_t min_face_nodes = face_nodes);

}  // namespace fdtd::cuda
