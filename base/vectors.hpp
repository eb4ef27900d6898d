// Arithmetic of points and vectors in space.
#pragma once

#include <cmath>

#include "base/point.hpp"

namespace fdtd {

inline Point plus(const Point& a, const Point& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
inline Point minus(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline Point scaled(double s, const Point& a) { return {s * a[0], s * a[1], s * a[2]}; }
// a + s b
inline Point along(const Point& a, double s, const Point& b) {
  return {a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]};
}
inline double dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Point cross(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double norm(const Point& a) { return std::sqrt(dot(a, a)); }
inline Point unit(const Point& a) {
  const double n = norm(a);
  return {a[0] / n, a[1] / n, a[2] / n};
}

}  // namespace fdtd
