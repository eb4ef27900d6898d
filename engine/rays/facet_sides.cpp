#include "engine/rays/facet_sides.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/vectors.hpp"

namespace fdtd {
namespace {

constexpr std::size_t most_facets = 24;  // beyond which the search along a ray is faster
constexpr double flatness = 2e-3;        // m: corners of a facet lie within 1 mm of its plane

}  // namespace

FacetSides::FacetSides(const FacetRoom& room) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  std::vector<AxisBox> boxes(room.facets.size(), {{infinite, infinite, infinite}, {-infinite, -infinite, -infinite}});
  for (std::size_t t = 0; t < room.facet_of_triangle.size(); ++t) {
    if (room.facet_of_triangle[t] == no_facet) continue;
    AxisBox& box = boxes[room.facet_of_triangle[t]];
    for (const std::uint32_t corner : room.tree.triangles()[t])
      for (std::size_t d = 0; d < 3; ++d) {
        box.low[d] = std::min(box.low[d], room.tree.vertices()[corner][d]);
        box.high[d] = std::max(box.high[d], room.tree.vertices()[corner][d]);
      }
  }
  for (std::size_t f = 0; f < boxes.size(); ++f)
    planes_.push_back({room.facets[f].normal, room.facets[f].offset, boxes[f]});
  tree_.emplace(boxes);
}

// A facet's number is even where the normal points to the centre's side.
std::vector<std::uint32_t> FacetSides::about(const Point& centre, double radius) const {
  AxisBox around{centre, centre};
  for (std::size_t d = 0; d < 3; ++d) {
    around.low[d] -= radius;
    around.high[d] += radius;
  }
  std::vector<std::uint32_t> facets;
  bool known = true;
  tree_->meeting(around, flatness, [&](std::uint32_t f) {
    const double height = dot(planes_[f].normal, centre) - planes_[f].offset;
    facets.push_back(2 * f + (height > 0.0 ? 0 : 1));
    known = facets.size() <= most_facets && std::abs(height) > flatness;
    return known;
  });
  if (!known) facets.clear();
  return facets;
}

bool FacetSides::apart(std::span<const std::uint32_t> facets, const Point& centre, const Point& at) const {
  return !facets.empty() && std::ranges::all_of(facets, [&](std::uint32_t number) {
    const Plane& plane = planes_[number / 2];
    const double height = dot(plane.normal, at) - plane.offset;
    if ((number % 2 == 0 ? height : -height) > flatness) return true;
    for (std::size_t d = 0; d < 3; ++d)
      if (std::min(at[d], centre[d]) > plane.box.high[d] + flatness ||
          std::max(at[d], centre[d]) < plane.box.low[d] - flatness)
        return true;
    return false;
  });
}

}  // namespace fdtd
