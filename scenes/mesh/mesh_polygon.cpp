#include <cmath>

#include "scenes/mesh/mesh.hpp"

namespace fdtd {
namespace {

using Flat = std::array<double, 2>;

double turn(const Flat& a, const Flat& b, const Flat& c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// The polygon projected along the largest component of its area vector (Newell's sum over the edges),
// counter-clockwise, from its first corner: far from the origin sums of coordinates would have lost the polygon.
std::vector<Flat> flattened(const std::vector<std::array<double, 3>>& vertices,
                            const std::vector<std::uint32_t>& corners) {
  const std::array<double, 3> origin = vertices[corners.front()];
  const auto at = [&](std::uint32_t corner, std::size_t d) { return vertices[corner][d] - origin[d]; };
  std::array<double, 3> area{};
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const std::uint32_t p = corners[i], q = corners[(i + 1) % corners.size()];
    for (std::size_t d = 0; d < 3; ++d) {
      const std::size_t u = (d + 1) % 3, v = (d + 2) % 3;
      area[d] += (at(p, u) - at(q, u)) * (at(p, v) + at(q, v));
    }
  }
  std::size_t along = 0;
  for (std::size_t d = 1; d < 3; ++d) along = std::abs(area[d]) > std::abs(area[along]) ? d : along;
  const std::size_t u = (along + 1) % 3, v = (along + 2) % 3;
  std::vector<Flat> flat;
  for (const std::uint32_t corner : corners)
    flat.push_back(area[along] >= 0.0 ? Flat{at(corner, u), at(corner, v)} : Flat{at(corner, v), at(corner, u)});
  return flat;
}

// Can corner i be cut off? It is convex, and no other corner lies in or on the triangle, except at its corners.
bool is_ear(const std::vector<Flat>& polygon, std::size_t i) {
  const std::size_t n = polygon.size();
  const Flat &a = polygon[(i + n - 1) % n], &b = polygon[i], &c = polygon[(i + 1) % n];
  if (!(turn(a, b, c) > 0.0)) return false;
  for (const Flat& p : polygon) {
    if (p == a || p == b || p == c) continue;
    if (turn(a, b, p) >= 0.0 && turn(b, c, p) >= 0.0 && turn(c, a, p) >= 0.0) return false;
  }
  return true;
}

}  // namespace

void triangulate(const std::vector<std::array<double, 3>>& vertices, std::vector<std::uint32_t> corners,
                 std::vector<std::array<std::uint32_t, 3>>& triangles) {
  if (corners.size() == 3) {
    triangles.push_back({corners[0], corners[1], corners[2]});
    return;
  }
  std::vector<Flat> polygon = flattened(vertices, corners);
  while (corners.size() >= 3) {
    const std::size_t n = corners.size();
    std::size_t ear = 0;
    while (ear < n && !is_ear(polygon, ear)) ++ear;
    if (ear == n) ear = 0;  // none: collinear corners, or not a simple polygon
    triangles.push_back({corners[(ear + n - 1) % n], corners[ear], corners[(ear + 1) % n]});
    corners.erase(corners.begin() + static_cast<std::ptrdiff_t>(ear));
    polygon.erase(polygon.begin() + static_cast<std::ptrdiff_t>(ear));
  }
}

}  // namespace fdtd
