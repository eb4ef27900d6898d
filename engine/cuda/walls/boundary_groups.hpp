// The boundary nodes of a plan as arrays for the GPU, grouped by law; one thread updates one node (plan/boundary.hpp).
//
// Nodes whose sites have the same laws form a group. Within a group every quantity of a node is an array over the
// group's nodes (a structure of arrays), so that a warp reads V and G side by side whether the wall runs along x or
// across it. Weights differ from node to node and are a row of a table. Most nodes of a wall are equal to the last
// weight: nodes of one row form a group of their own, a face. A face stores its row once (Face), a block waits for it
// once, and a thread reads its node's own values alone.
//
// The nodes that a thread's taps read are its column; no other thread works them, and near-wall corrections
// (near_wall.hpp) have been applied to them. A group whose taps are more than a column holds has no columns: a launch
// of its own works it. Nor have sites that are solved together where walls meet: coupled_tables.hpp has what they
// share.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/cuda/field/layout.hpp"
#include "engine/cuda/gpu/host_device.hpp"
#include "engine/cuda/walls/boundary_sizes.hpp"
#include "engine/plan/boundary.hpp"

namespace fdtd::cuda {

inline constexpr std::uint32_t face_nodes = 4 * boundary_threads;  // so many equal nodes are worth a group of their own

// Properties that the nodes of a face share; each has one site, of this law.
template <class T>
struct Face {
  LawCoefficients<T> law;
  BranchCoefficients<T> branch[max_face_branches];
  T value[4];  // its row: Q, scale, loss, weight
};

template <class T>
struct BoundaryGroup {
  std::uint32_t first_block, count, stride;  // stride: of the arrays over the nodes, whole blocks
  std::uint32_t sites, branches;             // branches of one node, over its sites
  std::uint32_t laws;                        // index into law_list
  std::uint32_t tap_count, column;           // column: the nodes that the taps read, or none
  std::uint32_t row_values;                  // Q, scale, loss, a weight a site
  bool is_face;                              // one row: node_row is 0
  bool is_coupled;                           // without columns: coupled_update.hpp works its nodes
  std::int64_t base, step;                   // of node_offset; from node to node of a column
  std::uint64_t node, state;                 // first of its nodes (offset, row, q) and of its branches
  std::uint64_t values;                      // first of its rows in row_value
  T tap[max_taps];                           // 0 behind the taps
  T inverse_square;                          // 1/sum tap^2
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
  std::uint32_t general_blocks;  // the first so many; those without columns, coupled_tables.hpp, box_faces.hpp and
                                 // row_ends.hpp follow
  const std::uint32_t *node_offset, *node_row;
  const T* row_value;
  const std::uint32_t* law_list;
  const LawCoefficients<T>* laws;
  const BranchCoefficients<T>* branches;
  BranchValues<T*> state;
  T* q[2];                    // what the taps read of u- in even and odd steps; u+ of one is u- two steps on
  T* lost[2];                 // energy lost in the last even and odd step
  std::uint32_t long_blocks;  // of groups without columns, behind the general ones
};

template <class T>
struct BoundaryTables {
  std::vector<BoundaryGroup<T>> groups;
  std::vector<std::uint32_t> group_of_block;
  std::uint32_t general_blocks = 0, long_blocks = 0;  // coupled groups follow
  std::vector<std::uint32_t> node_offset, node_row;
  std::vector<std::uint32_t> member;  // index into Boundary::nodes; padding: none
  std::vector<T> row_value;
  std::vector<std::uint32_t> law_list;
  std::vector<LawCoefficients<T>> laws;
  std::vector<BranchCoefficients<T>> branches;
  std::uint64_t states = 0;  // branches of all nodes, padding included

  // A value of the branches, as V, between the State's order (Boundary::branch_begin) and the groups'.
  void gather(const Boundary& boundary, const T* grouped, T* canonical) const;
  void scatter(const Boundary& boundary, const T* canonical, T* grouped) const;
};

// So many equal nodes become a face; results do not depend on the number. Throws Error (status resource) for laws of
// more than max_taps taps.
template <class T>
BoundaryTables<T> pack_boundary(const Boundary& boundary, const Layout& layout,
                                std::uint32_t min_face_nodes = face_nodes);

}  // namespace fdtd::cuda
