// Groups of sites that are solved together at edges and in corners (plan/coupled_walls.hpp) as arrays for the GPU: a
// block a group, a thread a site. V, G, q and the constants of the sites are those of boundary_groups.hpp.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/cuda/field/layout.hpp"
#include "engine/cuda/walls/boundary_groups.hpp"
#include "engine/plan/coupled_tables.hpp"

namespace fdtd::cuda {

inline constexpr std::uint32_t coupled_row = coupled_lanes;
// Threads of a block: the places of two walls, within a warp, or of three.
inline constexpr std::uint32_t edge_threads = 32, corner_threads = 3 * coupled_row * coupled_row;

// Properties that the groups along an edge share.
template <class T>
struct CoupledKind {
  std::uint32_t walls;
  std::uint32_t taps[3], rows[3];
  std::int64_t step[3];   // from node to node inwards
  T tap[3][coupled_row];  // 0 behind the taps
  std::uint64_t inverse;  // first value of the coupling's, column by column
  // By row of the first wall and there by lane: bit i for the i-th node of its column, if a site of the group reads it.
  std::uint8_t own[coupled_row][coupled_row];
};

template <class T>
struct CoupledView {
  const CoupledKind<T>* kinds;
  const std::uint32_t* kind;         // by group
  const std::int64_t* origin;        // by group: the node in the edge or corner
  const std::uint64_t* place_begin;  // by group, into:
  const std::uint32_t* place;        // of the site at each place of each wall in BoundaryTables, or no_member
  const T* inverse;
  std::uint32_t edges, corners;  // groups of two walls, then of three
};

template <class T>
struct CoupledArrays {
  std::vector<CoupledKind<T>> kinds;
  std::vector<std::uint32_t> kind;
  std::vector<std::int64_t> origin;
  std::vector<std::uint64_t> place_begin;
  std::vector<std::uint32_t> place;
  std::vector<T> inverse;
  std::uint32_t edges = 0, corners = 0;
};

// `sites`: in their final order, after take_faces. `size`: of the boundary's grid.
template <class T>
CoupledArrays<T> pack_coupled(const Boundary& boundary, const std::array<int, 3>& size, const BoundaryTables<T>& sites,
                              const Layout& layout);

}  // namespace fdtd::cuda
