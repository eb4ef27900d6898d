#include "engine/facets/coplanar.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/vectors.hpp"
#include "scenes/mesh/tree/box_tree.hpp"

namespace fdtd {
namespace {

const double least_cosine = std::cos(0.1 * std::acos(-1.0) / 180.0);  // of normals of one plane
constexpr double same_plane = 1e-3;                                   // m, of corners from a plane
constexpr double sliver_plane = 2e-5;  // m: corners so near to a plane lie in it, whatever their rounded normal
constexpr double same_line = 1e-4;     // m, of the ends of edges that run along each other

std::uint64_t mixed(std::uint64_t z) {  // the finaliser of splitmix64
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

// Of each vertex the first one of its place.
std::vector<std::uint32_t> welded(const std::vector<Point>& vertices) {
  const std::size_t slots = std::bit_ceil(2 * vertices.size() + 1);
  std::vector<std::uint32_t> slot(slots, UINT32_MAX), first(vertices.size());
  for (std::uint32_t v = 0; v < vertices.size(); ++v) {
    std::uint64_t hash = 0;
    for (const double x : vertices[v]) hash = mixed(hash + 0x9E3779B97F4A7C15U + std::bit_cast<std::uint64_t>(x + 0.0));
    std::size_t at = hash & (slots - 1);
    while (slot[at] != UINT32_MAX && vertices[slot[at]] != vertices[v]) at = (at + 1) & (slots - 1);
    if (slot[at] == UINT32_MAX) slot[at] = v;
    first[v] = slot[at];
  }
  return first;
}

// Are these triangles with the same corners, and the same material, as an earlier one?
std::vector<bool> repeated(const std::vector<std::array<std::uint32_t, 3>>& triangles,
                           const std::vector<std::uint16_t>& material) {
  using Key = std::pair<std::array<std::uint32_t, 3>, std::uint16_t>;
  std::vector<std::pair<Key, std::uint32_t>> sorted(triangles.size());
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    sorted[t] = {{triangles[t], material[t]}, t};
    std::sort(sorted[t].first.first.begin(), sorted[t].first.first.end());
  }
  std::sort(sorted.begin(), sorted.end());
  std::vector<bool> again(triangles.size());
  for (std::size_t i = 1; i < sorted.size(); ++i) again[sorted[i].second] = sorted[i].first == sorted[i - 1].first;
  return again;
}

struct Plane {
  Point normal{};
  double offset = 0.0;
};

Plane plane_of(const Surface& surface, std::uint32_t t) {
  return {surface.normal[t], dot(surface.normal[t], surface.vertices[surface.triangles[t][0]])};
}

bool lies_in(const Surface& surface, std::uint32_t t, const Plane& plane) {
  double farthest = 0.0;
  for (const std::uint32_t v : surface.triangles[t])
    farthest = std::max(farthest, std::abs(dot(plane.normal, surface.vertices[v]) - plane.offset));
  if (farthest > same_plane) return false;
  return farthest <= sliver_plane || std::abs(dot(plane.normal, surface.normal[t])) >= least_cosine;
}

bool may_join(const Surface& surface, std::uint32_t a, std::uint32_t b) {
  return surface.material[a] == surface.material[b] &&
         (lies_in(surface, a, plane_of(surface, b)) || lies_in(surface, b, plane_of(surface, a)));
}

// Do two edges run along each other for some length?
bool run_together(const Surface& surface, const SurfaceEdge& one, const SurfaceEdge& other) {
  std::array<Point, 2> a{surface.vertices[one.low], surface.vertices[one.high]},
      b{surface.vertices[other.low], surface.vertices[other.high]};
  double length = norm(minus(a[1], a[0])), shorter = norm(minus(b[1], b[0]));
  if (length < shorter) {
    std::swap(a, b);
    std::swap(length, shorter);
  }
  const Point way = unit(minus(a[1], a[0]));
  std::array<double, 2> at{};
  for (std::size_t i = 0; i < 2; ++i) {
    const Point from = minus(b[i], a[0]);
    at[i] = dot(from, way);
    if (norm(along(from, -at[i], way)) > same_line) return false;
  }
  const double common = std::min(std::max(at[0], at[1]), length) - std::max(std::min(at[0], at[1]), 0.0);
  return common > std::min(1e-3, 0.5 * shorter);
}

AxisBox box_of(const Surface& surface, const SurfaceEdge& edge) {
  AxisBox box;
  for (std::size_t d = 0; d < 3; ++d)
    std::tie(box.low[d], box.high[d]) = std::minmax(surface.vertices[edge.low][d], surface.vertices[edge.high][d]);
  return box;
}

// Pairs of triangles of one plane and material whose edges run along each other without having the same ends: where
// one is divided and the other is not, or vertices differ by their rounding. Such edges belong to one triangle.
std::vector<std::array<std::uint32_t, 2>> seams(const Surface& surface, const std::vector<SurfaceEdge>& edges) {
  std::vector<SurfaceEdge> open, others;
  bool alone = true, joined = false;
  at_edges(
      edges,
      [&](const SurfaceEdge& one, const SurfaceEdge& other) {
        alone = false;
        joined = joined || may_join(surface, one.triangle, other.triangle);
      },
      [&](const SurfaceEdge& one) {
        if (alone) open.push_back(one);
        if (!joined) others.push_back(one);
        alone = true;
        joined = false;
      });
  std::vector<std::array<std::uint32_t, 2>> pairs;
  if (open.empty()) return pairs;
  std::vector<AxisBox> boxes;
  boxes.reserve(others.size());
  for (const SurfaceEdge& edge : others) boxes.push_back(box_of(surface, edge));
  const BoxTree tree(boxes);
  for (const SurfaceEdge& edge : open)
    tree.meeting(box_of(surface, edge), same_line, [&](std::uint32_t i) {
      const std::uint32_t other = others[i].triangle;
      if (other != edge.triangle && may_join(surface, edge.triangle, other) && run_together(surface, edge, others[i])) {
        pairs.push_back({edge.triangle, other});
        pairs.push_back({other, edge.triangle});
      }
      return true;
    });
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

// Rows of neighbours: those of triangle t from first[t] to first[t + 1].
struct Neighbours {
  std::vector<std::uint32_t> first, of;
};

Neighbours neighbours_of(const Surface& surface, const std::vector<SurfaceEdge>& edges) {
  std::vector<std::array<std::uint32_t, 2>> pairs = seams(surface, edges);
  at_edges(
      edges,
      [&](const SurfaceEdge& one, const SurfaceEdge& other) {
        if (may_join(surface, one.triangle, other.triangle)) pairs.push_back({one.triangle, other.triangle});
      },
      [](const SurfaceEdge&) {});
  Neighbours rows{std::vector<std::uint32_t>(surface.size() + 1), std::vector<std::uint32_t>(pairs.size())};
  for (const auto& pair : pairs) ++rows.first[pair[0] + 1];
  std::partial_sum(rows.first.begin(), rows.first.end(), rows.first.begin());
  std::vector<std::uint32_t> next(rows.first.begin(), rows.first.end() - 1);
  for (const auto& pair : pairs) rows.of[next[pair[0]]++] = pair[1];
  return rows;
}

}  // namespace

Surface surface_of(const Mesh& mesh, const std::vector<std::uint16_t>& material_of_group) {
  Surface surface;
  surface.vertices = mesh.vertices;
  surface.triangles = mesh.triangles;
  const std::vector<std::uint32_t> first = welded(mesh.vertices);
  for (auto& triangle : surface.triangles)
    for (std::uint32_t& v : triangle) v = first[v];
  const std::size_t size = surface.size();
  surface.material.resize(size);
  for (std::size_t t = 0; t < size; ++t) surface.material[t] = material_of_group[mesh.material[t]];
  const std::vector<bool> again = repeated(surface.triangles, surface.material);
  surface.normal.resize(size);
  surface.area.resize(size);
  for (std::size_t t = 0; t < size; ++t) {
    if (again[t]) continue;
    const auto& [a, b, c] = surface.triangles[t];
    const Point u = minus(surface.vertices[b], surface.vertices[a]),
                v = minus(surface.vertices[c], surface.vertices[a]), w = minus(v, u), normal = cross(u, v);
    const double twice = norm(normal);
    if (!(twice > 1e-10 * std::max({dot(u, u), dot(v, v), dot(w, w)}))) continue;  // no wider than its rounding
    surface.normal[t] = unit(normal);
    surface.area[t] = 0.5 * twice;
  }
  return surface;
}

std::vector<SurfaceEdge> edges_of(const Surface& surface) {
  std::vector<SurfaceEdge> edges;
  edges.reserve(3 * surface.size());
  for (std::uint32_t t = 0; t < surface.size(); ++t) {
    if (surface.area[t] == 0.0) continue;
    for (std::uint8_t k = 0; k < 3; ++k) {
      const auto [low, high] = std::minmax(surface.triangles[t][(k + 1U) % 3], surface.triangles[t][(k + 2U) % 3]);
      edges.push_back({low, high, t, k});
    }
  }
  std::sort(edges.begin(), edges.end(), [](const SurfaceEdge& a, const SurfaceEdge& b) {
    return std::tie(a.low, a.high, a.triangle) < std::tie(b.low, b.high, b.triangle);
  });
  return edges;
}

std::vector<std::uint32_t> coplanar_parts(const Surface& surface, const std::vector<SurfaceEdge>& edges) {
  const Neighbours rows = neighbours_of(surface, edges);
  std::vector<std::uint32_t> order, part(surface.size(), no_facet), waiting;
  for (std::uint32_t t = 0; t < surface.size(); ++t)
    if (surface.area[t] > 0.0) order.push_back(t);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return surface.area[a] > surface.area[b]; });
  std::uint32_t parts = 0;
  for (const std::uint32_t seed : order) {
    if (part[seed] != no_facet) continue;
    const Plane plane = plane_of(surface, seed);
    part[seed] = parts;
    waiting.assign(1, seed);
    while (!waiting.empty()) {
      const std::uint32_t t = waiting.back();
      waiting.pop_back();
      for (std::uint32_t i = rows.first[t]; i < rows.first[t + 1]; ++i) {
        const std::uint32_t next = rows.of[i];
        if (part[next] != no_facet || !lies_in(surface, next, plane)) continue;
        part[next] = parts;
        waiting.push_back(next);
      }
    }
    ++parts;
  }
  std::vector<std::uint32_t> number(parts, no_facet);
  std::uint32_t numbered = 0;
  for (std::uint32_t& p : part) {
    if (p == no_facet) continue;
    if (number[p] == no_facet) number[p] = numbered++;
    p = number[p];
  }
  return part;
}

std::vector<std::uint32_t> shared_planes(const std::vector<Facet>& facets, const Surface& surface,
                                         const std::vector<std::uint32_t>& facet_of_triangle) {
  std::vector<AxisBox> boxes(facets.size());
  for (AxisBox& box : boxes) {
    box.low.fill(std::numeric_limits<double>::infinity());
    box.high.fill(-std::numeric_limits<double>::infinity());
  }
  for (std::size_t t = 0; t < surface.size(); ++t) {
    if (facet_of_triangle[t] == no_facet) continue;
    AxisBox& box = boxes[facet_of_triangle[t]];
    for (const std::uint32_t v : surface.triangles[t])
      for (std::size_t d = 0; d < 3; ++d) {
        box.low[d] = std::min(box.low[d], surface.vertices[v][d]);
        box.high[d] = std::max(box.high[d], surface.vertices[v][d]);
      }
  }
  std::vector<std::uint32_t> order(facets.size()), plane(facets.size(), no_facet);
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return facets[a].area > facets[b].area; });
  const BoxTree tree(boxes);
  for (const std::uint32_t f : order) {
    if (plane[f] != no_facet) continue;
    plane[f] = f;
    tree.meeting(boxes[f], same_plane, [&](std::uint32_t other) {
      if (plane[other] != no_facet || std::abs(dot(facets[f].normal, facets[other].normal)) < least_cosine) return true;
      Point centre;
      for (std::size_t d = 0; d < 3; ++d) centre[d] = 0.5 * boxes[other].low[d] + 0.5 * boxes[other].high[d];
      // The plane of the other one at its centre.
      centre = along(centre, facets[other].offset - dot(facets[other].normal, centre), facets[other].normal);
      if (std::abs(dot(facets[f].normal, centre) - facets[f].offset) <= same_plane) plane[other] = f;
      return true;
    });
  }
  return plane;
}

namespace {

AxisBox box_around(const Surface& surface, std::uint32_t t) {
  AxisBox box;
  const auto& [a, b, c] = surface.triangles[t];
  for (std::size_t d = 0; d < 3; ++d)
    std::tie(box.low[d], box.high[d]) =
        std::minmax({surface.vertices[a][d], surface.vertices[b][d], surface.vertices[c][d]});
  return box;
}

// Has an edge of `one` the other triangle, of the same plane, on its far side?
bool is_beside(const Surface& surface, std::uint32_t one, std::uint32_t other) {
  const Point& normal = surface.normal[one];
  for (std::size_t k = 0; k < 3; ++k) {
    const Point& from = surface.vertices[surface.triangles[one][k]];
    const Point way = minus(surface.vertices[surface.triangles[one][(k + 1) % 3]], from);
    const Point inwards = unit(cross(normal, way));
    const bool all = std::ranges::all_of(surface.triangles[other], [&](std::uint32_t v) {
      return dot(inwards, minus(surface.vertices[v], from)) <= sliver_plane;
    });
    if (all) return true;
  }
  return false;
}

}  // namespace

CoincidentTriangles coincident_triangles(const Surface& surface, const std::vector<std::uint32_t>& facet_of_triangle,
                                         const std::vector<std::uint32_t>& plane_of_facet) {
  std::vector<std::int32_t> material(plane_of_facet.size(), -1);  // of each plane; -2: several
  for (std::uint32_t t = 0; t < surface.size(); ++t) {
    if (facet_of_triangle[t] == no_facet) continue;
    std::int32_t& of = material[plane_of_facet[facet_of_triangle[t]]];
    of = of == -1 || of == surface.material[t] ? surface.material[t] : -2;
  }
  std::vector<std::uint32_t> some;  // of planes with several
  std::vector<AxisBox> boxes;
  for (std::uint32_t t = 0; t < surface.size(); ++t) {
    if (facet_of_triangle[t] == no_facet || material[plane_of_facet[facet_of_triangle[t]]] != -2) continue;
    some.push_back(t);
    boxes.push_back(box_around(surface, t));
  }
  CoincidentTriangles coincident;
  if (some.empty()) return coincident;
  const BoxTree tree(boxes);
  for (std::size_t i = 0; i < some.size(); ++i) {
    const std::uint32_t t = some[i];
    tree.meeting(boxes[i], sliver_plane, [&](std::uint32_t n) {
      const std::uint32_t other = some[n];
      if (other >= t || surface.material[other] == surface.material[t] ||
          plane_of_facet[facet_of_triangle[other]] != plane_of_facet[facet_of_triangle[t]])
        return true;
      const Plane plane = plane_of(surface, other);
      const bool in_plane = std::ranges::all_of(surface.triangles[t], [&](std::uint32_t v) {
        return std::abs(dot(plane.normal, surface.vertices[v]) - plane.offset) <= sliver_plane;
      });
      if (in_plane && !is_beside(surface, t, other) && !is_beside(surface, other, t)) {
        coincident[t].push_back(other);
        coincident[other].push_back(t);
      }
      return true;
    });
  }
  for (auto& [t, others] : coincident) std::ranges::sort(others);
  return coincident;
}

}  // namespace fdtd
