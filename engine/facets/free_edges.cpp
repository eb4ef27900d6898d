#include "engine/facets/free_edges.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <tuple>

#include "base/vectors.hpp"

namespace fdtd {
namespace {

constexpr double reach = 0.01;  // m past the edge
constexpr double lift = 1e-4;   // m above the plane
constexpr int most_pieces = 8;
constexpr int sky_directions = 32, most_sky = 3;  // more of them meet nothing: outside
constexpr double cell = 0.5, rise = 0.1;          // m
constexpr std::size_t most_seen = 8;
constexpr std::size_t few_parts = 64;  // less than threads are begun for
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
  for (int i = 0; i < sky_directions && open <= most_sky && i - open < sky_directions - most_sky; ++i) {
    const double z = 1.0 - (2.0 * i + 1.0) / sky_directions, turn = 2.0 * std::numbers::pi * i / std::numbers::phi,
                 radius = std::sqrt(1.0 - z * z);
    const Point direction = {radius * std::cos(turn), radius * std::sin(turn), z};
    if (!tree.blocked(from, direction, no_facet, 1e9)) ++open;
  }
  return open > most_sky;
}

// The free part of a rim on one side, unless it lies outside of the room.
struct Free {
  double length = 0.0;      // m
  Point first{}, normal{};  // m: past the first piece that is; of that side
};

Free free_part(const TriangleTree& tree, const Rim& rim, const Point& normal) {
  const double length = norm(rim.way);
  const int pieces = std::clamp(static_cast<int>(std::ceil(length / reach)), 1, most_pieces);
  const double inset = std::min(reach, 0.5 * rim.height);
  Free part{0.0, {}, normal};
  int free = 0;
  for (int i = 0; i < pieces; ++i) {
    const auto past =
        past_free_edge(tree, rim.facet, along(rim.from, (i + 0.5) / pieces, rim.way), rim.away, normal, inset);
    if (!past) continue;
    if (free == 0) part.first = *past;
    ++free;
  }
  part.length = length * free / pieces;
  return part;
}

// Is each part under the open sky? Parts of a cell take the answer of an earlier one that sees them, from its place or
// from some way above it: a relief of a million triangles has as many parts, and one sky.
std::vector<char> outside(const TriangleTree& tree, const std::vector<Free>& parts) {
  struct Place {
    std::array<std::int64_t, 3> cell{};
    std::size_t part = 0;
    bool operator<(const Place& other) const { return std::tie(cell, part) < std::tie(other.cell, other.part); }
  };
  std::vector<Place> places;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].length == 0.0) continue;
    Place& place = places.emplace_back();
    for (std::size_t d = 0; d < 3; ++d) place.cell[d] = static_cast<std::int64_t>(std::floor(parts[i].first[d] / cell));
    place.part = i;
  }
  std::sort(places.begin(), places.end());
  std::vector<std::size_t> first;  // of each cell
  for (std::size_t i = 0; i < places.size(); ++i)
    if (i == 0 || places[i].cell != places[i - 1].cell) first.push_back(i);
  first.push_back(places.size());
  std::vector<char> open(parts.size());
  const auto cells = static_cast<std::ptrdiff_t>(first.size()) - 1;
#pragma omp parallel for schedule(dynamic, 1) if (places.size() > few_parts)
  for (std::ptrdiff_t c = 0; c < cells; ++c) {
    struct Seen {
      Point at{};
      char open = 0;
    };
    std::vector<Seen> seen;
    for (std::size_t i = first[static_cast<std::size_t>(c)]; i < first[static_cast<std::size_t>(c) + 1]; ++i) {
      const Free& part = parts[places[i].part];
      const bool risen = !tree.blocked(part.first, part.normal, no_facet, rise);
      const Point at = risen ? along(part.first, rise, part.normal) : part.first;
      const auto known = std::find_if(
          seen.begin(), seen.end(), [&](const Seen& one) { return tree.free_between(one.at, at, no_facet, no_facet); });
      if (known != seen.end()) {
        open[places[i].part] = known->open;
        continue;
      }
      open[places[i].part] = under_open_sky(tree, part.first) ? 1 : 0;
      if (seen.size() < most_seen) seen.push_back({at, open[places[i].part]});
    }
  }
  return open;
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

std::optional<Point> past_free_edge(const TriangleTree& tree, std::uint32_t facet, const Point& at, const Point& away,
                                    const Point& normal, double inset) {
  const Point above = along(at, lift, normal);
  if (tree.blocked(along(above, -inset, away), away, facet, inset + reach)) return std::nullopt;  // a wall rises
  const Point past = along(above, reach, away);
  if (tree.blocked(past, scaled(-1.0, normal), no_facet, 2.0 * lift + bend * reach)) return std::nullopt;  // goes on
  return past;
}

std::vector<double> free_edges(const Surface& surface, const std::vector<SurfaceEdge>& edges,
                               const std::vector<Facet>& facets, const std::vector<std::uint32_t>& facet_of_triangle,
                               const TriangleTree& tree) {
  const std::vector<Rim> rims = rims_of(surface, edges, facets, facet_of_triangle);
  std::vector<Free> parts(2 * rims.size());  // both sides of each
  const auto count = static_cast<std::ptrdiff_t>(parts.size());
#pragma omp parallel for schedule(dynamic, 256) if (parts.size() > few_parts)
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const Rim& rim = rims[static_cast<std::size_t>(i / 2)];
    const Point& normal = facets[rim.facet].normal;
    parts[static_cast<std::size_t>(i)] = free_part(tree, rim, i % 2 == 0 ? normal : scaled(-1.0, normal));
  }
  const std::vector<char> open = outside(tree, parts);
  std::vector<std::array<double, 2>> of_facet(facets.size());
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (open[i] == 0) of_facet[rims[i / 2].facet][i % 2] += parts[i].length;
  std::vector<double> lengths(facets.size());
  for (std::size_t f = 0; f < facets.size(); ++f) lengths[f] = std::max(of_facet[f][0], of_facet[f][1]);
  return lengths;
}

}  // namespace fdtd
