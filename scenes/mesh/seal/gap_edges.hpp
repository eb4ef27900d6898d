// The edges of a mesh at which its surface ends or turns away: where a gap between two surfaces begins.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/point.hpp"
#include "scenes/mesh/mesh.hpp"

namespace fdtd {

struct GapEdge {
  Point from{}, along{};              // m; unit vector
  double length = 0.0;                // m
  std::vector<std::uint32_t> facets;  // that share it, in ascending order
  // Unit vectors across the edge, x into the first facet, and the directions cos(angle) x + sin(angle) y from `first`
  // to `last` (rad) that lead away from every facet.
  Point x{}, y{};
  double first = 0.0, last = 0.0;
  double reach = std::numeric_limits<double>::infinity();  // m: wider gaps do not count
};

// Of edges of one facet, half a plane; of others the cone of normals on the side where they enclose less than half of
// space. Edges in a plane, or in a curved surface of half a degree an edge, are none. The longest come first.
// `stands_for`: the vertex that stands for each (mesh_weld.hpp); `tolerance` (m): the height of slivers, which have no
// direction.
std::vector<GapEdge> gap_edges(const Mesh& mesh, const std::vector<std::uint32_t>& stands_for, double tolerance);

}  // namespace fdtd
