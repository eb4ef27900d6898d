#include "base/math/directions.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/vectors.hpp"

namespace fdtd {

std::vector<Point> spiral(std::size_t count) {
  const double turn = std::numbers::pi * (1.0 + std::sqrt(5.0));
  std::vector<Point> points;
  for (std::size_t i = 0; i < count; ++i) {
    const double at = static_cast<double>(i) + 0.5, z = 1.0 - 2.0 * at / static_cast<double>(count),
                 radius = std::sqrt(1.0 - z * z);
    points.push_back({radius * std::cos(turn * at), radius * std::sin(turn * at), z});
  }
  return points;
}

double widest_gap_of(const std::vector<Point>& directions) {
  constexpr std::size_t tried = 2000;
  double least = 1.0;
  for (const Point& place : spiral(tried)) {
    double nearest = -1.0;
    for (const Point& one : directions) nearest = std::max(nearest, dot(place, one));
    least = std::min(least, nearest);
  }
  return std::acos(std::clamp(least, -1.0, 1.0)) * 180.0 / std::numbers::pi;
}

}  // namespace fdtd
