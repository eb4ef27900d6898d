#include "engine/facets/free_pieces.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/vectors.hpp"
#include "engine/facets/free_edges.hpp"

namespace fdtd {
namespace {

constexpr double longest_inset = 0.01;  // m
constexpr int pieces_an_edge = 8;

struct RimEdge {
  std::uint32_t low = 0, high = 0, opposite = 0;  // vertices; the last is the corner beside the edge
};

// Edges that one triangle of the facet has alone.
std::vector<RimEdge> outer_edges(const FacetRoom& room, std::span<const std::uint32_t> triangles) {
  std::vector<RimEdge> edges;
  for (const std::uint32_t t : triangles)
    for (std::size_t i = 0; i < 3; ++i) {
      const auto& corners = room.tree.triangles()[t];
      const std::uint32_t a = corners[i], b = corners[(i + 1) % 3];
      edges.push_back({std::min(a, b), std::max(a, b), corners[(i + 2) % 3]});
    }
  const auto key = [](const RimEdge& one) { return std::array{one.low, one.high}; };
  std::ranges::sort(edges, {}, key);
  std::vector<RimEdge> outer;
  for (std::size_t first = 0, last = 0; first < edges.size(); first = last) {
    while (last < edges.size() && key(edges[last]) == key(edges[first])) ++last;
    if (last - first == 1) outer.push_back(edges[first]);
  }
  return outer;
}

}  // namespace

std::vector<FreePiece> free_pieces(const FacetRoom& room, std::span<const std::uint32_t> triangles,
                                   const Point& normal) {
  std::vector<FreePiece> pieces;
  if (triangles.empty()) return pieces;
  const std::uint32_t facet = room.facet_of_triangle[triangles.front()];
  for (const RimEdge& edge : outer_edges(room, triangles)) {
    const std::vector<Point>& vertices = room.tree.vertices();
    Point from = vertices[edge.low], way = minus(vertices[edge.high], from);
    if (!(norm(way) > 0.0)) continue;
    Point away = unit(cross(way, normal));
    const double height = dot(minus(from, vertices[edge.opposite]), away);
    if (height < 0.0) {
      from = vertices[edge.high];
      way = scaled(-1.0, way);
      away = scaled(-1.0, away);
    }
    const double inset = std::min(longest_inset, 0.5 * std::abs(height));
    bool before = false;
    for (int i = 0; i < pieces_an_edge; ++i) {
      const auto at = [&](double part) { return along(from, part / pieces_an_edge, way); };
      const bool free = past_free_edge(room.tree, facet, at(i + 0.5), away, normal, inset).has_value();
      if (free && before)
        pieces.back().to = at(i + 1.0);
      else if (free)
        pieces.push_back({at(i), at(i + 1.0)});
      before = free;
    }
  }
  return pieces;
}

}  // namespace fdtd
