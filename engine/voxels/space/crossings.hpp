// The points where a mesh crosses the lines through voxel centres: they separate neighbouring voxels.
//
// Line (u, v) of axis d runs along d through the centres of all voxels with these other two coordinates, in the order
// of the axes (axis 1: u = x, v = z). Link i of a line, 0..n_d, joins the centres of voxels i-1 and i; links 0 and
// n_d lead out of the grid. The computation is exact: vertices are rounded to a lattice that contains the voxel
// centres (at most 2^20 steps per voxel; vertices that an exporter wrote apart are one, mesh_weld.hpp), and everything
// after that is integer arithmetic. A line through an edge or a vertex of the mesh hits every facet
// that shares it, and each facet is widened by half a lattice step, so that a closed surface stays closed, T-shaped
// joints included (the fixed-point rule of rasterisers, made conservative). A crossing at a voxel centre blocks the
// links on both sides of it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "scenes/mesh/mesh.hpp"

namespace fdtd {

struct Crossing {
  std::int32_t link = 0;
  float at = 0.0F;  // 0..1 from the centre of voxel link-1 to that of voxel link
  std::uint32_t triangle = 0;
};

// All crossings along one axis. Of each link at most two are kept, the first and the last: the surfaces next to the
// voxel below and the voxel above.
struct AxisCrossings {
  std::uint64_t first_line = 0;           // those before it are not held
  std::vector<std::uint64_t> line_begin;  // of line u + n_u v = first_line + l: [line_begin[l], line_begin[l+1])
  std::vector<Crossing> list;             // by line, link, at, triangle
  std::span<const Crossing> line(std::size_t l) const {
    return {list.data() + line_begin[l - first_line], list.data() + line_begin[l - first_line + 1]};
  }
  // For each material of the mesh, how often its facets cross a line; a crossing on a shared edge counts once.
  std::vector<std::uint64_t> hits;
};

// Planes of centres along z: [begin, end).
struct PlaneRange {
  int begin = 0, end = 0;
};

// `corner` is the grid's corner in the coordinates of the mesh (m). Throws std::invalid_argument when the mesh
// extends so far beyond the grid that the lattice cannot represent it.
std::array<AxisCrossings, 3> find_crossings(const Mesh& mesh, const std::array<int, 3>& size,
                                            const std::array<double, 3>& spacing, const std::array<double, 3>& corner);
// The same crossings, only of lines in these planes and of links that begin or end in them. Hits are of the planes
// `own`: lines in them, and links that end in them, with those out of the grid; they sum to all where planes do.
std::array<AxisCrossings, 3> find_crossings(const Mesh& mesh, const std::array<int, 3>& size,
                                            const std::array<double, 3>& spacing, const std::array<double, 3>& corner,
                                            const PlaneRange& planes, const PlaneRange& own);

}  // namespace fdtd
