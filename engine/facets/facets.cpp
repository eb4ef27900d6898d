#include "engine/facets/facets.hpp"

#include <utility>

#include "base/vectors.hpp"
#include "engine/facets/coplanar.hpp"
#include "engine/facets/free_edges.hpp"

namespace fdtd {
namespace {

std::vector<Facet> facets_of(const Surface& surface, const std::vector<std::uint32_t>& facet_of_triangle) {
  std::vector<Facet> facets;
  std::vector<std::uint32_t> largest;  // triangle of each
  for (std::uint32_t t = 0; t < surface.size(); ++t) {
    const std::uint32_t f = facet_of_triangle[t];
    if (f == no_facet) continue;
    if (f == facets.size()) {
      facets.push_back({{}, 0.0, 0.0, 0.0, surface.material[t]});
      largest.push_back(t);
    }
    facets[f].area += surface.area[t];
    if (surface.area[t] > surface.area[largest[f]]) largest[f] = t;
  }
  for (std::uint32_t t = 0; t < surface.size(); ++t) {
    if (facet_of_triangle[t] == no_facet) continue;
    Facet& facet = facets[facet_of_triangle[t]];
    const Point& like = surface.normal[largest[facet_of_triangle[t]]];
    facet.normal =
        along(facet.normal, dot(like, surface.normal[t]) < 0.0 ? -surface.area[t] : surface.area[t], surface.normal[t]);
  }
  for (std::size_t f = 0; f < facets.size(); ++f) {
    facets[f].normal = unit(facets[f].normal);
    facets[f].offset = dot(facets[f].normal, surface.vertices[surface.triangles[largest[f]][0]]);
  }
  std::vector<double> beyond(facets.size());  // m3, from that corner's plane
  for (std::size_t t = 0; t < surface.size(); ++t) {
    if (facet_of_triangle[t] == no_facet) continue;
    const Facet& facet = facets[facet_of_triangle[t]];
    for (const std::uint32_t v : surface.triangles[t])
      beyond[facet_of_triangle[t]] += surface.area[t] / 3.0 * (dot(facet.normal, surface.vertices[v]) - facet.offset);
  }
  for (std::size_t f = 0; f < facets.size(); ++f) facets[f].offset += beyond[f] / facets[f].area;
  return facets;
}

}  // namespace

FacetRoom facets_of_mesh(const Mesh& mesh, const std::vector<std::uint16_t>& material_of_group, double volume,
                         bool with_free_edges) {
  const Surface surface = surface_of(mesh, material_of_group);
  const std::vector<SurfaceEdge> edges = edges_of(surface);
  FacetRoom room;
  room.volume = volume;
  room.facet_of_triangle = coplanar_parts(surface, edges);
  room.facets = facets_of(surface, room.facet_of_triangle);
  const std::vector<std::uint32_t> planes = shared_planes(room.facets, surface, room.facet_of_triangle);
  room.tree = TriangleTree(surface.vertices, surface.triangles, room.facet_of_triangle, planes);
  room.tree.distinguish(coincident_triangles(surface, room.facet_of_triangle, planes));
  if (!with_free_edges) return room;
  const std::vector<double> free = free_edges(surface, edges, room.facets, room.facet_of_triangle, room.tree);
  for (std::size_t f = 0; f < free.size(); ++f) room.facets[f].free_edges = free[f];
  return room;
}

FacetRoom facets_of_box(const std::array<double, 3>& sides, const std::array<std::uint16_t, 6>& materials) {
  Mesh mesh;
  for (std::uint32_t i = 0; i < 8; ++i)
    mesh.vertices.push_back(
        {(i & 1U) != 0 ? sides[0] : 0.0, (i & 2U) != 0 ? sides[1] : 0.0, (i & 4U) != 0 ? sides[2] : 0.0});
  constexpr std::array<std::array<std::uint32_t, 4>, 6> walls = {
      {{0, 2, 6, 4}, {1, 5, 7, 3}, {0, 4, 5, 1}, {2, 3, 7, 6}, {0, 1, 3, 2}, {4, 6, 7, 5}}};  // normals inwards
  for (std::uint16_t w = 0; w < 6; ++w) {
    mesh.triangles.push_back({walls[w][0], walls[w][1], walls[w][2]});
    mesh.triangles.push_back({walls[w][0], walls[w][2], walls[w][3]});
    mesh.material.insert(mesh.material.end(), 2, w);
  }
  return facets_of_mesh(mesh, {materials.begin(), materials.end()}, sides[0] * sides[1] * sides[2]);
}

}  // namespace fdtd
