// Where a mesh crosses the lines through the voxels' centres: what blocks the way from a voxel to the next.
//
// Line (u, v) of axis d runs along d through the centres of all voxels with these other two coordinates, in the order
// of the axes (axis 1: u = x, v = z). Link i of a line, 0..n_d, joins the centres of voxels i-1 and i; links 0 and
// n_d lead out of the grid. Exact: corners are put on a lattice of at least 2^-16 voxels on which the centres lie as
// well, and all that follows is integer arithmetic. A line through an edge or a corner of the mesh hits every facet
// that meets there, and a facet is half a lattice step wider than it is: what is closed stays closed, T-shaped joints
// included (the fixed-point rule of rasterisers, made conservative). A crossing at a centre blocks the links on both
// sides of it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "scenes/mesh.hpp"

namespace fdtd {

struct Crossing {
  std::int32_t link = 0;
  float at = 0.0F;  // 0..1 from the centre of voxel link-1 to that of voxel link
  std::uint32_t triangle = 0;
};

// All crossings along one axis; at most two a link are kept, the first and the last: what is seen from below and from
// above.
struct AxisCrossings {
  std::vector<std::uint64_t> line_begin;  // of line u + n_u v: [line_begin[l], line_begin[l+1])
  std::vector<Crossing> list;             // by line, link, at, triangle
  std::span<const Crossing> line(std::size_t l) const {
    return {list.data() + line_begin[l], list.data() + line_begin[l + 1]};
  }
  // By material of the mesh, how often its facets meet a line; at edges between them once.
  std::vector<std::uint64_t> hits;
};

// The grid lies in the mesh's metres with its corner at `corner`. Throws std::invalid_argument when the mesh reaches so
// far beyond the grid that the lattice has no room.
std::array<AxisCrossings, 3> find_crossings(const Mesh& mesh, const std::array<int, 3>& size,
                                            const std::array<double, 3>& spacing, const std::array<double, 3>& corner);

}  // namespace fdtd
