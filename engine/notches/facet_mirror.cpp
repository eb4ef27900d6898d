#include "engine/notches/facet_mirror.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/vectors.hpp"

namespace fdtd {
namespace {

constexpr double node_step = 0.02;    // of the variable along an edge in which its wave is smooth
constexpr double least_width = 1e-6;  // m: a reflection nearer to an edge counts as so far off

// Of a point from the line of an edge.
struct FromEdge {
  double axial = 0.0, radius = 0.0;  // m
};

FromEdge from_edge(const Point& point, const Point& from, const Point& way) {
  const Point towards = minus(point, from);
  const double axial = dot(towards, way);
  return {axial, norm(along(towards, -axial, way))};
}

}  // namespace

FacetMirror::FacetMirror(const std::vector<FreePiece>& edges, const Point& image, const Point& receiver) {
  const Point straight = minus(receiver, image);
  const double length = norm(straight);
  for (const FreePiece& edge : edges) {
    const Point whole = minus(edge.to, edge.from);
    const double end = norm(whole);
    if (!(end > 0.0)) continue;
    const Point way = scaled(1.0 / end, whole);
    // About the shortest way by the edge, t = middle + width sinh(u): the wave is narrow where the reflection is near.
    const FromEdge one = from_edge(image, edge.from, way), other = from_edge(receiver, edge.from, way);
    const double middle = (one.axial * other.radius + other.axial * one.radius) / (one.radius + other.radius);
    const Point by = minus(along(edge.from, middle, way), image);
    const double width = std::max(least_width, norm(cross(by, straight)) / length);
    const double first = std::asinh(-middle / width), last = std::asinh((end - middle) / width);
    const int count = std::max(4, static_cast<int>(std::ceil((last - first) / node_step)));
    for (int i = 0; i < count; ++i) {
      const double u = first + (i + 0.5) * (last - first) / count;
      const Point at = along(edge.from, middle + width * std::sinh(u), way);
      const Point there = minus(at, image), on = minus(receiver, at);
      const double legs[2] = {norm(there), norm(on)}, product = legs[0] * legs[1];
      const double part = width * std::cosh(u) * (last - first) / count;  // m, of the edge
      // (1 - cos) of the angle between both legs, by their sum's length: no digits are lost where it is small.
      const double bent = ((legs[0] + legs[1]) * (legs[0] + legs[1]) - length * length) / (2.0 * product);
      if (!(bent > 0.0)) continue;
      nodes_.push_back({legs[0] + legs[1] - length, dot(cross(there, on), way) * part * length /
                                                        (4.0 * std::numbers::pi * product * product * bent)});
    }
  }
}

std::complex<double> FacetMirror::operator()(double wave_number) const {
  std::complex<double> sum = 1.0;
  for (const Node& node : nodes_) sum += std::polar(1.0, -wave_number * node.detour) * node.weight;
  return sum;
}

}  // namespace fdtd
