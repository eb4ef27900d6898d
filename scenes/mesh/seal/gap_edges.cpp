#include "scenes/mesh/seal/gap_edges.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include "base/vectors.hpp"

namespace fdtd {
namespace {

constexpr double flat = 0.5 * std::numbers::pi / 180.0;

struct EdgeOfFacet {
  std::uint32_t low = 0, high = 0, facet = 0, third = 0;
  auto operator<=>(const EdgeOfFacet&) const = default;
};

std::vector<EdgeOfFacet> edges_of_facets(const Mesh& mesh, const std::vector<std::uint32_t>& stands_for) {
  std::vector<EdgeOfFacet> edges;
  edges.reserve(3 * mesh.triangles.size());
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    std::array<std::uint32_t, 3> corner{};
    for (std::size_t i = 0; i < 3; ++i) corner[i] = stands_for[mesh.triangles[t][i]];
    if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0]) continue;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t a = corner[i], b = corner[(i + 1) % 3];
      edges.push_back({std::min(a, b), std::max(a, b), t, corner[(i + 2) % 3]});
    }
  }
  std::sort(edges.begin(), edges.end());
  return edges;
}

// Nothing for an edge that no gap begins at.
std::optional<GapEdge> gap_edge(const Mesh& mesh, const EdgeOfFacet* begin, const EdgeOfFacet* end, double tolerance) {
  GapEdge edge;
  edge.from = mesh.vertices[begin->low];
  const Point way = minus(mesh.vertices[begin->high], edge.from);
  edge.length = norm(way);
  if (!(edge.length > tolerance)) return std::nullopt;
  edge.along = scaled(1.0 / edge.length, way);
  edge.first = 0.5 * std::numbers::pi;
  edge.last = 1.5 * std::numbers::pi;
  bool any = false;
  for (const EdgeOfFacet* one = begin; one != end; ++one) {
    edge.facets.push_back(one->facet);
    const Point across = minus(mesh.vertices[one->third], edge.from);
    const Point into = along(across, -dot(across, edge.along), edge.along);
    const double height = norm(into);
    if (!(height > tolerance)) continue;
    if (!any) {
      edge.x = scaled(1.0 / height, into);
      edge.y = cross(edge.along, edge.x);
      any = true;
      continue;
    }
    const double angle = std::atan2(dot(into, edge.y), dot(into, edge.x));
    if (angle > 0.0)
      edge.first = std::max(edge.first, angle + 0.5 * std::numbers::pi);
    else
      edge.last = std::min(edge.last, angle + 1.5 * std::numbers::pi);
  }
  if (!any || edge.last - edge.first < flat) return std::nullopt;
  return edge;
}

}  // namespace

std::vector<GapEdge> gap_edges(const Mesh& mesh, const std::vector<std::uint32_t>& stands_for, double tolerance) {
  const std::vector<EdgeOfFacet> edges = edges_of_facets(mesh, stands_for);
  std::vector<GapEdge> found;
  for (std::size_t i = 0; i < edges.size();) {
    std::size_t end = i + 1;
    while (end < edges.size() && edges[end].low == edges[i].low && edges[end].high == edges[i].high) ++end;
    if (auto edge = gap_edge(mesh, edges.data() + i, edges.data() + end, tolerance)) found.push_back(std::move(*edge));
    i = end;
  }
  std::stable_sort(found.begin(), found.end(), [](const GapEdge& a, const GapEdge& b) { return a.length > b.length; });
  return found;
}

}  // namespace fdtd
