#include "base/math/directions.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

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

namespace {

// Cosine of the angle to the nearest direction.
double nearest_to(const Point& place, const std::vector<Point>& directions) {
  double nearest = -1.0;
  for (const Point& one : directions) nearest = std::max(nearest, dot(place, one));
  return nearest;
}

// The middle of the circle through the three directions nearest to `place`, on its side of the sphere; there is none
// where fewer are distinct.
std::optional<Point> middle_of_nearest(const Point& place, std::vector<Point> directions) {
  constexpr std::size_t three = 3;
  if (directions.size() < three) return std::nullopt;
  std::ranges::partial_sort(directions, directions.begin() + three,
                            [&](const Point& a, const Point& b) { return dot(place, a) > dot(place, b); });
  const Point normal = cross(minus(directions[1], directions[0]), minus(directions[2], directions[0]));
  const double length = norm(normal);
  if (!(length > 1e-9)) return std::nullopt;
  return scaled((dot(normal, place) < 0.0 ? -1.0 : 1.0) / length, normal);
}

// The place of the widest gap near `place`, from steps that halve and then from circle to circle: the cosine there.
double widest_near(Point place, double cosine, const std::vector<Point>& directions) {
  const auto moves_to = [&](const Point& other) {
    const double there = nearest_to(other, directions);
    if (!(there < cosine - 1e-12)) return false;
    place = other;
    cosine = there;
    return true;
  };
  const auto moves_by = [&](double step) {
    for (std::size_t d = 0; d < 3; ++d)
      for (const double way : {step, -step}) {
        Point other = place;
        other[d] += way;
        if (moves_to(scaled(1.0 / norm(other), other))) return true;
      }
    return false;
  };
  for (double step = 0.05; step > 1e-4; step /= 2.0)
    while (moves_by(step)) {
    }
  for (std::optional<Point> middle = middle_of_nearest(place, directions); middle && moves_to(*middle);)
    middle = middle_of_nearest(place, directions);
  return cosine;
}

}  // namespace

double widest_gap_of(const std::vector<Point>& directions) {
  constexpr std::size_t tried = 2000, followed = 200;
  std::vector<std::pair<double, Point>> places;
  for (const Point& place : spiral(tried)) places.emplace_back(nearest_to(place, directions), place);
  std::ranges::partial_sort(places, places.begin() + followed);
  double least = 1.0;
  for (std::size_t i = 0; i < followed; ++i)
    least = std::min(least, widest_near(places[i].second, places[i].first, directions));
  return std::acos(std::clamp(least, -1.0, 1.0)) * 180.0 / std::numbers::pi;
}

}  // namespace fdtd
