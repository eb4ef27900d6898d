#include "engine/facets/off_facets.hpp"

#include <cmath>
#include <numbers>

#include "base/vectors.hpp"

namespace fdtd {
namespace {

constexpr double in_plane = 1e-6;  // m
constexpr int directions = 64;     // of the rays that judge a side

// How many rays into the half-space of `normal` meet a wall.
int enclosed(const FacetRoom& room, const Point& from, const Point& normal) {
  int hits = 0;
  for (int i = 0; i < directions; ++i) {
    const double z = 1.0 - (2.0 * i + 1.0) / directions, angle = std::numbers::pi * (3.0 - std::sqrt(5.0)) * i;
    const double r = std::sqrt(1.0 - z * z);
    Point direction = {r * std::cos(angle), r * std::sin(angle), z};
    if (dot(direction, normal) < 0.0) direction = scaled(-1.0, direction);
    if (room.tree.hit(from, direction, no_facet, INFINITY)) ++hits;
  }
  return hits;
}

// Does the facet itself, and not its plane alone, pass within facet_distance?
bool passes(const FacetRoom& room, std::uint32_t facet, const Point& place, const Point& normal) {
  const Point before = along(place, 2.0 * facet_distance, normal);
  const auto hit = room.tree.hit(before, scaled(-1.0, normal), no_facet, 4.0 * facet_distance);
  return hit && room.tree.facet(hit->triangle) == facet;
}

}  // namespace

Point off_facets(const FacetRoom& room, const Point& place) {
  constexpr int corner = 3;  // walls that meet there
  Point moved = place;
  for (int i = 0; i < corner && room.tree.distance(moved, facet_distance) < facet_distance * (1.0 - 1e-9); ++i)
    for (std::uint32_t f = 0; f < room.facets.size(); ++f) {
      const Facet& facet = room.facets[f];
      const double off = dot(facet.normal, moved) - facet.offset;
      if (std::abs(off) >= facet_distance || !passes(room, f, moved, facet.normal)) continue;
      const Point foot = along(moved, -off, facet.normal), other = scaled(-1.0, facet.normal);
      const Point front = along(foot, facet_distance, facet.normal), back = along(foot, facet_distance, other);
      const bool to_front =
          std::abs(off) > in_plane ? off > 0.0 : enclosed(room, front, facet.normal) >= enclosed(room, back, other);
      moved = to_front ? front : back;
    }
  return moved;
}

}  // namespace fdtd
