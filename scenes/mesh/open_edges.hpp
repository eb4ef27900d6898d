// The edges of a mesh at which its surface ends: the borders of holes, and of sheets that end in the air.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "scenes/mesh/mesh.hpp"

namespace fdtd {

struct OpenEdge {
  std::uint32_t from = 0, to = 0;  // vertices, in the direction in which the facet runs along it
  std::uint32_t triangle = 0;
};

struct EdgeSurvey {
  std::vector<OpenEdge> open;
  std::vector<std::array<std::uint32_t, 2>> flipped;  // between two facets that run along it in the same direction
};

// `stands_for`: the vertex that stands for each (mesh_weld.hpp); `counts`: which triangles count. Facets that this
// leaves without three corners have no edges; slivers have theirs.
//
// An edge is open where one facet has it, unless, within `tolerance`, others run along it: their open edges, which may
// be divided differently (T-shaped joints), or the inside of a facet that it lies on. An edge of a sliver is open only
// if no facet beyond the one across the sliver reaches it: a sliver along the border of a hole does not close it.
EdgeSurvey survey_edges(const Mesh& mesh, const std::vector<std::uint32_t>& stands_for, const std::vector<bool>& counts,
                        double tolerance);

}  // namespace fdtd
