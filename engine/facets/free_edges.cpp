#include "engine/facets/free_edges.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "engine/facets/points.hpp"

namespace fdtd {
namespace {

constexpr double reach = 0.01;  // m past the edge
constexpr double lift = 1e-4;   // m above the plane
constexpr int most_pieces = 8;
constexpr int sky_directions = 32, most_sky = 3;  // more of them meet nothing: outside
const double bend = std::tan(10.0 * std::numbers::pi / 180.0), flat_cosine = std::cos(10.0 * std::numbers::pi / 180.0);

struct Rim {                    // an edge of one facet
  Point from{}, way{}, away{};  // m: its start, to its end; a unit vector in the facet's plane, from the facet
  double height = 0.0;          // m, of the triangle over it
  std::uint32_t facet = 0;
};

Rim rim_of(const Surface& surface, const SurfaceEdge& edge, const Facet& facet, std::uint32_t number) {
  Rim rim;
  rim.from = surface.vertices[edge.low];
  rim.way = minus(surface.vertices[edge.high], rim.from);
  rim.facet = number;
  const Point corner = surface.vertices[surface.triangles[edge.triangle][edge.opposite]];
  Point away = unit(cross(rim.way, facet.normal));
  rim.height = dot(minus(rim.from, corner), away);
  if (rim.height < 0.0) away = scaled(-1.0, away);
  rim.height = std::abs(rim.height);
  rim.away = away;
  return rim;
}

// Does a facet that shares the edge go on beyond it, nearly in the plane?
bool goes_on(const Surface& surface, const Rim& rim, const SurfaceEdge& other) {
  const Point corner = surface.vertices[surface.triangles[other.triangle][other.opposite]];
  const Point way = unit(rim.way);
  Point into = minus(corner, rim.from);
  into = along(into, -dot(into, way), way);
  const double length = norm(into);
  return length > 0.0 && dot(into, rim.away) >= flat_cosine * length;
}

bool under_open_sky(const TriangleTree& tree, const Point& from) {
  int open = 0;
  for (int i = 0; i < sky_directions; ++i) {
    const double z = 1.0 - (2.0 * i + 1.0) / sky_directions, turn = 2.0 * std::numbers::pi * i / std::numbers::phi,
                 radius = std::sqrt(1.0 - z * z);
    const Point direction = {radius * std::cos(turn), radius * std::sin(turn), z};
    if (!tree.hit(from, direction, no_facet, 1e9)) ++open;
  }
  return open > most_sky;
}

// Metres of the rim that are free on the side of `normal`.
double free_length(const TriangleTree& tree, const Rim& rim, const Point& normal) {
  const double length = norm(rim.way);
  const int pieces = std::clamp(static_cast<int>(std::ceil(length / reach)), 1, most_pieces);
  const double inset = std::min(reach, 0.5 * rim.height);
  int free = 0;
  Point first{};
  for (int i = 0; i < pieces; ++i) {
    const Point at = along(along(rim.from, (i + 0.5) / pieces, rim.way), lift, normal);
    if (tree.hit(along(at, -inset, rim.away), rim.away, rim.facet, inset + reach)) continue;  // a wall rises
    const Point past = along(at, reach, rim.away);
    if (tree.hit(past, scaled(-1.0, normal), no_facet, 2.0 * lift + bend * reach)) continue;  // a surface goes on
    if (free == 0) first = past;
    ++free;
  }
  return free == 0 || under_open_sky(tree, first) ? 0.0 : length * free / pieces;
}

std::vector<Rim> rims_of(const Surface& surface, const std::vector<SurfaceEdge>& edges,
                         const std::vector<Facet>& facets, const std::vector<std::uint32_t>& facet_of_triangle) {
  std::vector<Rim> rims;
  bool inner = false;
  const auto rim = [&](const SurfaceEdge& edge) {
    const std::uint32_t facet = facet_of_triangle[edge.triangle];
    return rim_of(surface, edge, facets[facet], facet);
  };
  at_edges(
      edges,
      [&](const SurfaceEdge& one, const SurfaceEdge& other) {
        inner = inner || facet_of_triangle[one.triangle] == facet_of_triangle[other.triangle] ||
                goes_on(surface, rim(one), other);
      },
      [&](const SurfaceEdge& one) {
        if (!inner) rims.push_back(rim(one));
        inner = false;
      });
  return rims;
}

}  // namespace

std::vector<double> free_edges(const Surface& surface, const std::vector<SurfaceEdge>& edges,
                               const std::vector<Facet>& facets, const std::vector<std::uint32_t>& facet_of_triangle,
                               const TriangleTree& tree) {
  const std::vector<Rim> rims = rims_of(surface, edges, facets, facet_of_triangle);
  std::vector<std::array<double, 2>> of_rim(rims.size()), of_facet(facets.size());
  const auto count = static_cast<std::ptrdiff_t>(rims.size());
#pragma omp parallel for schedule(dynamic, 256)
  for (std::ptrdiff_t r = 0; r < count; ++r) {
    const Rim& rim = rims[static_cast<std::size_t>(r)];
    const Point& normal = facets[rim.facet].normal;
    of_rim[static_cast<std::size_t>(r)] = {free_length(tree, rim, normal),
                                           free_length(tree, rim, scaled(-1.0, normal))};
  }
  for (std::size_t r = 0; r < rims.size(); ++r)
    for (std::size_t side = 0; side < 2; ++side) of_facet[rims[r].facet][side] += of_rim[r][side];
  std::vector<double> lengths(facets.size());
  for (std::size_t f = 0; f < facets.size(); ++f) lengths[f] = std::max(of_facet[f][0], of_facet[f][1]);
  return lengths;
}

}  // namespace fdtd
