#include "scenes/mesh/mesh_sight.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>

namespace fdtd {
namespace {

Point minus(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Point cross(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

constexpr double edge_tolerance = 1e-9;   // of a triangle: rays through edges hit both
constexpr std::size_t few_boxes = 16;     // each by itself is faster than a tree of them
constexpr double start_tolerance = 1e-6;  // of the segment: triangles that contain its start do not count

// The t at which from + t direction hits the triangle; infinity: never, or parallel to it.
double hit(const Mesh& mesh, std::uint32_t triangle, const Point& from, const Point& direction) {
  constexpr double never = std::numeric_limits<double>::infinity();
  const auto& [a, b, c] = mesh.triangles[triangle];
  const Point u = minus(mesh.vertices[b], mesh.vertices[a]), v = minus(mesh.vertices[c], mesh.vertices[a]);
  const Point p = cross(direction, v);
  const double scale = dot(u, p);
  if (!(std::abs(scale) > 0.0)) return never;
  const Point s = minus(from, mesh.vertices[a]);
  const double along_u = dot(s, p) / scale;
  if (!(along_u >= -edge_tolerance && along_u <= 1.0 + edge_tolerance)) return never;
  const Point q = cross(s, u);
  const double along_v = dot(direction, q) / scale;
  if (!(along_v >= -edge_tolerance && along_u + along_v <= 1.0 + edge_tolerance)) return never;
  return dot(v, q) / scale;
}

AxisBox box_of(const Mesh& mesh, std::uint32_t triangle) {
  AxisBox box;
  const auto& [a, b, c] = mesh.triangles[triangle];
  for (std::size_t d = 0; d < 3; ++d)
    std::tie(box.low[d], box.high[d]) = std::minmax({mesh.vertices[a][d], mesh.vertices[b][d], mesh.vertices[c][d]});
  return box;
}

bool touch(const AxisBox& a, const AxisBox& b) {
  for (std::size_t d = 0; d < 3; ++d)
    if (!(a.high[d] >= b.low[d] && a.low[d] <= b.high[d])) return false;
  return true;
}

}  // namespace

std::vector<std::vector<std::uint32_t>> triangles_near(const Mesh& mesh, const std::vector<AxisBox>& boxes) {
  std::vector<std::vector<std::uint32_t>> near(boxes.size());
  if (boxes.size() <= few_boxes) {
    for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
      const AxisBox of = box_of(mesh, t);
      for (std::size_t b = 0; b < boxes.size(); ++b)
        if (touch(of, boxes[b])) near[b].push_back(t);
    }
    return near;
  }
  const BoxTree tree(boxes);
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t)
    tree.meeting(box_of(mesh, t), 0.0, [&](std::uint32_t box) {
      near[box].push_back(t);
      return true;
    });
  return near;
}

bool free_between(const Mesh& mesh, const std::vector<std::uint32_t>& among, const Point& a, const Point& b) {
  const Point way = minus(b, a);
  for (const std::uint32_t triangle : among) {
    const double t = hit(mesh, triangle, a, way);
    if (t > start_tolerance && t <= 1.0) return false;
  }
  return true;
}

double open_sky(const Mesh& mesh, const Point& from) {
  constexpr int directions = 256;
  std::vector<AxisBox> boxes;
  boxes.reserve(mesh.triangles.size());
  double farthest = 0.0;  // m, of a corner
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    const AxisBox& box = boxes.emplace_back(box_of(mesh, t));
    for (const Point& corner : {box.low, box.high})
      for (std::size_t d = 0; d < 3; ++d) farthest = std::max(farthest, std::abs(corner[d] - from[d]));
  }
  const BoxTree tree(boxes);
  const double beyond = 2.0 * farthest, reach = 4.0 * edge_tolerance * farthest;  // m: past all corners
  int open = 0;
  for (int i = 0; i < directions; ++i) {
    // Evenly distributed on the sphere: the golden spiral.
    const double z = 1.0 - (2.0 * i + 1.0) / directions;
    const double turn = 2.0 * std::numbers::pi * i / std::numbers::phi, radius = std::sqrt(1.0 - z * z);
    const Point direction = {radius * std::cos(turn), radius * std::sin(turn), z};
    const Point end = {from[0] + beyond * direction[0], from[1] + beyond * direction[1],
                       from[2] + beyond * direction[2]};
    bool any = false;
    tree.near(from, end, reach, [&](std::uint32_t t) {
      const double at = hit(mesh, t, from, direction);
      any = at > 0.0 && at < std::numeric_limits<double>::infinity();
      return !any;
    });
    if (!any) ++open;
  }
  return static_cast<double>(open) / directions;
}

}  // namespace fdtd
