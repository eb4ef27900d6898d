// The axes of something that looks in a direction, such as a head, a loudspeaker or an array of microphones: x to its
// front, y to its left, z up (AES69).
#pragma once

#include <numbers>
#include <optional>

#include "base/vectors.hpp"

namespace fdtd {

struct Axes {
  Point front{1.0, 0.0, 0.0}, left{0.0, 1.0, 0.0}, up{0.0, 0.0, 1.0};  // of unit length, perpendicular
};

// Of any length; up as far as it is perpendicular to the front. None where one is zero or both are parallel.
inline std::optional<Axes> axes_of(const Point& front, const Point& up) {
  const Point across = cross(up, front);
  if (!(norm(across) > 1e-9 * norm(up) * norm(front))) return std::nullopt;
  const Point x = unit(front), y = unit(across);
  return Axes{x, y, cross(x, y)};
}

// Turned about its own up, to its left.
inline Axes turned_left(const Axes& axes, double degrees) {
  const double c = std::cos(degrees * std::numbers::pi / 180.0), s = std::sin(degrees * std::numbers::pi / 180.0);
  return {along(scaled(c, axes.front), s, axes.left), along(scaled(c, axes.left), -s, axes.front), axes.up};
}

// A vector of the scene in the axes, and one in the axes in the scene.
inline Point in_axes(const Axes& axes, const Point& v) {
  return {dot(v, axes.front), dot(v, axes.left), dot(v, axes.up)};
}
inline Point from_axes(const Axes& axes, const Point& v) {
  return along(along(scaled(v[0], axes.front), v[1], axes.left), v[2], axes.up);
}

}  // namespace fdtd
