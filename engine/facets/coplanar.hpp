// Triangles of a mesh that lie in one plane, and facets that do.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/facets/facet.hpp"
#include "scenes/mesh/mesh.hpp"

namespace fdtd {

// A mesh with its vertices welded, as facets see it.
struct Surface {
  std::vector<Point> vertices;
  std::vector<std::array<std::uint32_t, 3>> triangles;  // vertices of one place have the number of the first of them
  std::vector<std::uint16_t> material;                  // of each triangle
  std::vector<Point> normal;                            // unit vectors; {}: a triangle that does not count
  std::vector<double> area;                             // m2; 0: it does not count
  std::size_t size() const { return triangles.size(); }
};

Surface surface_of(const Mesh& mesh, const std::vector<std::uint16_t>& material_of_group);

// An edge of a triangle that counts, from its lower vertex to its higher one.
struct SurfaceEdge {
  std::uint32_t low = 0, high = 0, triangle = 0;
  std::uint8_t opposite = 0;  // the corner of the triangle that is not on it
};
// Sorted: edges between the same vertices lie together.
std::vector<SurfaceEdge> edges_of(const Surface& surface);

// Calls visit(one, other) for the pairs of triangles at one edge, both ways, and done(one) after the pairs of each. Of
// more than `most_at_an_edge` triangles at one edge a triangle meets the nearest by number alone.
inline constexpr std::size_t most_at_an_edge = 64;
template <class Visit, class Done>
void at_edges(const std::vector<SurfaceEdge>& edges, const Visit& visit, const Done& done) {
  for (std::size_t first = 0, last = 0; first < edges.size(); first = last) {
    while (last < edges.size() && edges[last].low == edges[first].low && edges[last].high == edges[first].high) ++last;
    for (std::size_t i = first; i < last; ++i) {
      for (std::size_t j = std::max(first + most_at_an_edge, i) - most_at_an_edge;
           j < std::min(last, i + most_at_an_edge + 1); ++j)
        if (i != j) visit(edges[i], edges[j]);
      done(edges[i]);
    }
  }
}

// Facets of triangles, numbered in the order of their first triangles; no_facet: it does not count.
std::vector<std::uint32_t> coplanar_parts(const Surface& surface, const std::vector<SurfaceEdge>& edges);

// Of each facet the largest in whose plane it lies, among those whose boxes touch.
std::vector<std::uint32_t> shared_planes(const std::vector<Facet>& facets, const Surface& surface,
                                         const std::vector<std::uint32_t>& facet_of_triangle);

// Triangles of two materials that lie on each other, in part or as a whole, in one plane within 0.02 mm; `plane_of_facet`:
// of shared_planes().
CoincidentTriangles coincident_triangles(const Surface& surface, const std::vector<std::uint32_t>& facet_of_triangle,
                                         const std::vector<std::uint32_t>& plane_of_facet);

}  // namespace fdtd
