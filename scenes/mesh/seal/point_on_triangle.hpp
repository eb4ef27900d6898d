// A triangle given by its corners: its box, its area, and how far a point is from it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "base/vectors.hpp"
#include "scenes/mesh/tree/box_tree.hpp"

namespace fdtd {

using Corners3 = std::array<Point, 3>;

inline AxisBox box_of_triangle(const Corners3& t) {
  AxisBox box{t[0], t[0]};
  for (const Point& corner : t)
    for (std::size_t d = 0; d < 3; ++d) {
      box.low[d] = std::min(box.low[d], corner[d]);
      box.high[d] = std::max(box.high[d], corner[d]);
    }
  return box;
}

inline double area_of_triangle(const Corners3& t) { return 0.5 * norm(cross(minus(t[1], t[0]), minus(t[2], t[0]))); }

inline double distance_to_segment(const Point& at, const Point& a, const Point& b) {
  const Point way = minus(b, a);
  const double squared = dot(way, way),
               t = squared > 0.0 ? std::clamp(dot(minus(at, a), way) / squared, 0.0, 1.0) : 0.0;
  return norm(minus(at, along(a, t, way)));
}

inline double distance_to_triangle(const Point& at, const Corners3& t) {
  const Point normal = cross(minus(t[1], t[0]), minus(t[2], t[0]));
  const double size = norm(normal);
  bool above = size > 0.0;
  double nearest = 1e300;
  for (std::size_t i = 0; i < 3; ++i) {
    const Point &a = t[i], &b = t[(i + 1) % 3];
    above = above && dot(cross(normal, minus(b, a)), minus(at, a)) >= 0.0;
    nearest = std::min(nearest, distance_to_segment(at, a, b));
  }
  return above ? std::abs(dot(minus(at, t[0]), normal)) / size : nearest;
}

}  // namespace fdtd
