#include "engine/planning/room/furniture.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <utility>

namespace fdtd {
namespace {

using Point = std::array<double, 3>;
using Flat = std::array<double, 2>;

double dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// Evenly over half the sphere: the golden spiral.
std::vector<Point> directions(std::size_t count) {
  const double turn = std::numbers::pi * (3.0 - std::sqrt(5.0));
  std::vector<Point> all;
  for (std::size_t i = 0; i < count; ++i) {
    const double z = (static_cast<double>(i) + 0.5) / static_cast<double>(count), r = std::sqrt(1.0 - z * z);
    const double angle = turn * static_cast<double>(i);
    all.push_back({r * std::cos(angle), r * std::sin(angle), z});
  }
  return all;
}

// The points that lie furthest along some direction: all corners of a hull that matter.
std::vector<Point> furthest(const std::vector<Point>& points, const std::vector<Point>& along) {
  std::vector<Point> corners;
  for (const Point& way : along) {
    std::size_t most = 0, least = 0;
    double high = -std::numeric_limits<double>::infinity(), low = -high;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double at = dot(points[i], way);
      if (at > high) high = at, most = i;
      if (at < low) low = at, least = i;
    }
    corners.push_back(points[most]);
    corners.push_back(points[least]);
  }
  std::sort(corners.begin(), corners.end());
  corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
  return corners;
}

double turn_of(const Flat& o, const Flat& a, const Flat& b) {
  return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
}

// The area of the convex hull of points in a plane, by A. M. Andrew's chains (1979).
double flat_hull_area(std::vector<Flat> points) {
  std::sort(points.begin(), points.end());
  std::vector<Flat> chain;
  for (int side = 0; side < 2; ++side) {
    const std::size_t begin = chain.size();
    for (const Flat& one : points) {
      while (chain.size() >= begin + 2 && turn_of(chain[chain.size() - 2], chain.back(), one) <= 0.0) chain.pop_back();
      chain.push_back(one);
    }
    chain.pop_back();
    std::reverse(points.begin(), points.end());
  }
  double area = 0.0;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const Flat &a = chain[i], &b = chain[(i + 1) % chain.size()];
    area += 0.5 * (a[0] * b[1] - a[1] * b[0]);
  }
  return area;
}

}  // namespace

double hull_area(const std::vector<Point>& points) {
  constexpr std::size_t enough = 400;
  if (points.size() < 4) return 0.0;
  const std::vector<Point> along = directions(enough), corners = furthest(points, along);
  double mean = 0.0;
  for (const Point& way : along) {
    // Two unit vectors across the direction.
    const Point other = std::abs(way[2]) < 0.9 ? Point{0.0, 0.0, 1.0} : Point{1.0, 0.0, 0.0};
    Point u = {way[1] * other[2] - way[2] * other[1], way[2] * other[0] - way[0] * other[2],
               way[0] * other[1] - way[1] * other[0]};
    const double length = std::sqrt(dot(u, u));
    for (double& one : u) one /= length;
    const Point v = {way[1] * u[2] - way[2] * u[1], way[2] * u[0] - way[0] * u[2], way[0] * u[1] - way[1] * u[0]};
    std::vector<Flat> seen;
    for (const Point& corner : corners) seen.push_back({dot(corner, u), dot(corner, v)});
    mean += flat_hull_area(std::move(seen)) / static_cast<double>(along.size());
  }
  return 4.0 * mean;
}

double furnished_fraction(const Mesh& mesh, double area, const Point& low, const Point& high) {
  std::vector<Point> points;
  for (const Point& one : mesh.vertices) {
    const auto within = [&](std::size_t d) { return low[d] <= one[d] && one[d] <= high[d]; };
    if (within(0) && within(1) && within(2)) points.push_back(one);
  }
  return area > 0.0 ? std::max(0.0, 1.0 - hull_area(points) / area) : 0.0;
}

}  // namespace fdtd
