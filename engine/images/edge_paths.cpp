#include "engine/images/edge_paths.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

#include "base/vectors.hpp"

namespace fdtd {
namespace {

constexpr double half_turn = std::numbers::pi;
constexpr double ring = 1e-4;           // m: radius of the ring about an edge
constexpr int chords = 16;              // of the ring
constexpr double off_edge = 1e-5;       // m: a face whose plane is farther from the edge does not meet there
constexpr double same_angle = 1e-4;     // radians
constexpr double short_of_edge = 1e-6;  // m: legs end this far before it
constexpr double lift = 1e-6;           // m
constexpr double same_place = 2e-3;     // m: of two facets' edges at a joint that is not closed
constexpr double least_opening = 190.0 / 180.0 * half_turn, flat_cosine = 0.98480775301220802;  // 10 degrees

struct HalfEdge {
  std::uint32_t low = 0, high = 0, triangle = 0, opposite = 0;  // vertices; the last is the corner beside the edge
};

std::vector<HalfEdge> half_edges(const FacetRoom& room) {
  std::vector<HalfEdge> edges;
  for (std::uint32_t t = 0; t < room.facet_of_triangle.size(); ++t) {
    if (room.facet_of_triangle[t] == no_facet) continue;
    const auto& corners = room.tree.triangles()[t];
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t a = corners[i], b = corners[(i + 1) % 3];
      edges.push_back({std::min(a, b), std::max(a, b), t, corners[(i + 2) % 3]});
    }
  }
  std::ranges::sort(edges, [](const HalfEdge& a, const HalfEdge& b) {
    return std::array{a.low, a.high, a.triangle} < std::array{b.low, b.high, b.triangle};
  });
  return edges;
}

// From the edge into the triangle, a unit vector.
Point into(const FacetRoom& room, const HalfEdge& edge, const Point& from, const Point& way) {
  const Point corner = minus(room.tree.vertices()[edge.opposite], from);
  return unit(along(corner, -dot(corner, way), way));
}

struct Polar {
  double axial = 0.0, radius = 0.0;  // m
  Point across{};                    // from the edge, a unit vector
};
Polar polar_of(const Point& from, const Point& way, const Point& point) {
  const Point towards = minus(point, from);
  Polar polar;
  polar.axial = dot(towards, way);
  const Point across = along(towards, -polar.axial, way);
  polar.radius = norm(across);
  if (polar.radius > 0.0) polar.across = scaled(1.0 / polar.radius, across);
  return polar;
}

// Of a direction across the edge, from `zero` about `way`, 0 to 2 pi.
double angle_about(const Point& way, const Point& zero, const Point& direction) {
  const double angle = std::atan2(dot(direction, cross(way, zero)), dot(direction, zero));
  return angle < 0.0 ? angle + 2.0 * half_turn : angle;
}

}  // namespace

EdgePaths::EdgePaths(const FacetRoom& room) : room_(room) {
  const std::vector<HalfEdge> all = half_edges(room);
  for (std::size_t first = 0, last = 0; first < all.size(); first = last) {
    while (last < all.size() && all[last].low == all[first].low && all[last].high == all[first].high) ++last;
    Edge edge;
    edge.from = room.tree.vertices()[all[first].low];
    edge.way = minus(room.tree.vertices()[all[first].high], edge.from);
    edge.length = norm(edge.way);
    if (!(edge.length > 0.0)) continue;
    edge.way = scaled(1.0 / edge.length, edge.way);
    edge.facets = {room.facet_of_triangle[all[first].triangle], room.facet_of_triangle[all[last - 1].triangle]};
    if (last - first == 2) {
      if (edge.facets[0] == edge.facets[1]) continue;  // within a facet
      const Point one = into(room, all[first], edge.from, edge.way),
                  other = into(room, all[first + 1], edge.from, edge.way);
      if (dot(one, other) <= -flat_cosine) continue;
    }
    edges_.push_back(edge);
  }
}

bool EdgePaths::blocked(const Point& source, const Point& receiver) const {
  return !room_.tree.free_between(receiver, source, no_facet, no_facet);  // as PathProof asks
}

// Sorted; of the faces that meet in the edge at `at`.
std::vector<double> EdgePaths::angles_of_faces(const Edge& edge, const Point& at, const Point& zero,
                                               std::vector<std::uint32_t>& facets) const {
  const Point side = cross(edge.way, zero);
  const auto corner = [&](int i) {
    constexpr double first = 0.3719;  // radians: faces often lie at right angles to each other
    const double turn = first + 2.0 * half_turn * i / chords;
    return along(along(at, ring * std::cos(turn), zero), ring * std::sin(turn), side);
  };
  std::vector<std::pair<double, std::uint32_t>> faces;
  for (int i = 0; i < chords; ++i) {
    Point from = corner(i);
    const Point way = minus(corner(i + 1), from), direction = unit(way);
    double left = norm(way);
    std::uint32_t skip = no_facet;
    while (const auto hit = room_.tree.hit(from, direction, skip, left)) {
      const auto& corners = room_.tree.triangles()[hit->triangle];
      const auto& vertices = room_.tree.vertices();
      const Point &a = vertices[corners[0]],
                  normal = unit(cross(minus(vertices[corners[1]], a), minus(vertices[corners[2]], a)));
      from = along(from, hit->distance, direction);
      left -= hit->distance;
      skip = room_.facet_of_triangle[hit->triangle];
      const Point in_plane = cross(normal, edge.way);
      if (std::abs(dot(normal, minus(a, at))) > off_edge || !(norm(in_plane) > 0.5)) continue;
      const double sign = dot(in_plane, minus(from, at)) < 0.0 ? -1.0 : 1.0;
      faces.emplace_back(angle_about(edge.way, zero, scaled(sign, in_plane)), skip);
    }
  }
  std::ranges::sort(faces);
  std::vector<double> angles;
  for (const auto& [angle, facet] : faces) {
    const bool known = !angles.empty() &&
                       (angle - angles.back() < same_angle || angles.front() + 2.0 * half_turn - angle < same_angle);
    if (known) continue;
    angles.push_back(angle);
    facets.push_back(facet);
  }
  return angles;
}

std::optional<SpecularPath> EdgePaths::path_by(const Edge& edge, const Point& source, const Point& receiver) const {
  const Polar s = polar_of(edge.from, edge.way, source), r = polar_of(edge.from, edge.way, receiver);
  if (!(s.radius > ring && r.radius > ring)) return std::nullopt;
  const double place = (s.axial * r.radius + r.axial * s.radius) / (s.radius + r.radius);
  if (!(place >= 0.0 && place <= edge.length)) return std::nullopt;
  const Point at = along(edge.from, place, edge.way);
  const Point departure = unit(minus(at, source)), arrival = unit(minus(at, receiver));
  // Away from the wedge, so that no leg touches what it passes along, such as the plane of a table as high as the source.
  Point away = scaled(-1.0, plus(s.across, r.across));
  away = scaled(lift / std::max(norm(away), lift), away);
  const auto leg = [&](const Point& from, const Point& direction) {
    return room_.tree.free_between(plus(from, away), plus(along(at, -short_of_edge, direction), away), edge.facets[0],
                                   edge.facets[1]);
  };
  if (!leg(source, departure) || !leg(receiver, arrival)) return std::nullopt;
  std::vector<std::uint32_t> facets;
  const std::vector<double> angles = angles_of_faces(edge, at, s.across, facets);
  const double turned = angle_about(edge.way, s.across, r.across);
  for (std::size_t i = 0; i < angles.size(); ++i) {
    // From one face to the next: where the source, at the angle 0 or 2 pi, and the receiver are both within.
    const std::size_t next = (i + 1) % angles.size();
    const double opening = angles[next] - angles[i] + (next > i ? 0.0 : 2.0 * half_turn);
    if (opening < least_opening) continue;
    const auto within = [&](double angle) {
      double from_face = angle - angles[i];
      if (from_face < -same_angle) from_face += 2.0 * half_turn;
      return std::clamp(from_face, 0.0, from_face <= opening + same_angle ? opening : 2.0 * half_turn);
    };
    double to_source = within(0.0), to_receiver = within(turned);
    if (to_source > opening || to_receiver > opening) continue;
    std::array<std::uint32_t, 2> faces = {facets[i], facets[next]};
    if (to_source > to_receiver) {  // counted from the face that the source is on the side of
      to_source = opening - to_source;
      to_receiver = opening - to_receiver;
      std::swap(faces[0], faces[1]);
    }
    if (to_receiver - to_source < half_turn - 1e-9) return std::nullopt;  // lit
    SpecularPath path;
    path.length = std::hypot(s.radius + r.radius, s.axial - r.axial);
    path.departure = departure;
    path.arrival = arrival;
    const double sine = (s.radius + r.radius) / path.length;
    const double first = s.radius / sine, second = r.radius / sine;
    EdgeBend bend;
    bend.opening = opening;
    bend.source = to_source;
    bend.receiver = to_receiver;
    bend.distance = first * second * sine * sine / path.length;
    bend.faces = faces;
    bend.cosines = {sine * std::abs(std::sin(to_source)), sine * std::abs(std::sin(opening - to_receiver))};
    path.edge = bend;
    return path;
  }
  return std::nullopt;
}

std::vector<SpecularPath> EdgePaths::operator()(const Point& source, const Point& receiver) const {
  std::vector<SpecularPath> found;
  for (const Edge& edge : edges_)
    if (auto path = path_by(edge, source, receiver)) found.push_back(std::move(*path));
  std::ranges::stable_sort(found, {}, &SpecularPath::length);
  std::vector<SpecularPath> paths;
  for (SpecularPath& path : found) {
    const bool known = std::ranges::any_of(paths, [&](const SpecularPath& other) {
      return path.length - other.length < same_place &&
             norm(minus(path.departure, other.departure)) * path.length < 2.0 * same_place;
    });
    if (!known) paths.push_back(std::move(path));
  }
  return paths;
}

}  // namespace fdtd
