#include "scenes/mesh/tree/triangle_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "scenes/mesh/tree/rounded.hpp"
#include "scenes/mesh/tree/tree_build.hpp"

namespace fdtd {
namespace {

Point minus(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Point along(const Point& a, double s, const Point& b) { return {a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]}; }
double dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Point cross(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// Of a point from the segment from a to b.
double square_from_segment(const Point& a, const Point& b, const Point& from) {
  const Point way = minus(b, a);
  const double square = dot(way, way),
               part = square > 0.0 ? std::clamp(dot(minus(from, a), way) / square, 0.0, 1.0) : 0.0;
  const Point off = minus(from, along(a, part, way));
  return dot(off, off);
}

Point normal_of(const std::array<Point, 3>& corners) {
  return cross(minus(corners[1], corners[0]), minus(corners[2], corners[0]));
}

// Does the foot of a point in the triangle's plane lie in the triangle?
bool lies_above(const std::array<Point, 3>& corners, const Point& at) {
  const Point normal = normal_of(corners);
  for (std::size_t c = 0; c < 3; ++c)
    if (!(dot(cross(minus(corners[(c + 1) % 3], corners[c]), minus(at, corners[c])), normal) >= 0.0)) return false;
  return true;
}

double square_distance(const std::array<Point, 3>& corners, const Point& from) {
  double least = std::numeric_limits<double>::infinity();
  const Point normal = cross(minus(corners[1], corners[0]), minus(corners[2], corners[0]));
  bool above = true;  // the triangle
  for (std::size_t c = 0; c < 3; ++c) {
    const Point &a = corners[c], &b = corners[(c + 1) % 3];
    least = std::min(least, square_from_segment(a, b, from));
    above = above && dot(cross(minus(b, a), minus(from, a)), normal) >= 0.0;
  }
  const double height = dot(minus(from, corners[0]), normal);
  return above ? std::min(least, height * height / dot(normal, normal)) : least;
}

}  // namespace

TriangleTree::TriangleTree(std::vector<Point> vertices, std::vector<std::array<std::uint32_t, 3>> triangles,
                           std::vector<std::uint32_t> facet_of_triangle,
                           const std::vector<std::uint32_t>& plane_of_facet, const RaySearch& search)
    : vertices_(std::move(vertices)),
      triangles_(std::move(triangles)),
      facet_of_triangle_(std::move(facet_of_triangle)),
      plane_of_facet_(plane_of_facet),
      search_(&search) {
  std::vector<std::uint32_t> there;
  Point low, high;
  low.fill(std::numeric_limits<double>::infinity());
  high.fill(-std::numeric_limits<double>::infinity());
  for (std::uint32_t t = 0; t < triangles_.size(); ++t) {
    if (facet_of_triangle_[t] == no_facet) continue;
    there.push_back(t);
    for (const std::uint32_t v : triangles_[t])
      for (std::size_t d = 0; d < 3; ++d) {
        low[d] = std::min(low[d], vertices_[v][d]);
        high[d] = std::max(high[d], vertices_[v][d]);
      }
  }
  if (there.empty()) {
    root_ = no_child;
    return;
  }
  for (std::size_t d = 0; d < 3; ++d) middle_[d] = 0.5 * low[d] + 0.5 * high[d];
  // Boxes end beyond their triangles: a ray that runs along a side of one meets it.
  const double beyond = 0x1p-30 * std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
  std::vector<TightBox> boxes(there.size());
  for (std::size_t i = 0; i < there.size(); ++i) {
    const auto& [a, b, c] = triangles_[there[i]];
    for (std::size_t d = 0; d < 3; ++d) {
      const auto [least, most] = std::minmax({vertices_[a][d], vertices_[b][d], vertices_[c][d]});
      boxes[i].low[d] = rounded_down(least - middle_[d] - beyond);
      boxes[i].high[d] = rounded_up(most - middle_[d] + beyond);
    }
  }
  BuiltTree built = build_tree(boxes);
  nodes_ = std::move(built.nodes);
  root_ = built.root;
  const auto packed = [&](std::uint32_t& child) {  // a leaf becomes the number of its packet
    if (child == no_child || (child & leaf_bit) == 0) return;
    const std::uint32_t first = child & leaf_first, count = ((child & ~leaf_bit) >> leaf_shift) + 1;
    child = leaf_bit | static_cast<std::uint32_t>(packets_.size());
    TrianglePacket& four = packets_.emplace_back();
    for (std::uint32_t k = 0; k < 4; ++k) {
      const std::uint32_t t = there[built.order[first + (k < count ? k : 0)]];
      for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t d = 0; d < 3; ++d) four.at[c][d][k] = vertices_[triangles_[t][c]][d];
      four.plane[k] = plane_of(facet_of_triangle_[t]);
      four.number[k] = t;
    }
  };
  packed(root_);
  for (TreeNode& node : nodes_)
    for (std::uint32_t& child : node.child) packed(child);
}

std::uint32_t TriangleTree::plane_of(std::uint32_t facet) const {
  return facet < plane_of_facet_.size() ? plane_of_facet_[facet] : facet;
}

std::optional<RayHit> TriangleTree::hit(const Point& from, const Point& direction, std::uint32_t skip,
                                        double farthest) const {
  if (root_ == no_child) return {};
  const std::uint32_t plane = plane_of(skip);
  RayHit nearest;
  if (!search_->nearest(searched(), TreeRay(from, direction, middle_, farthest, plane, plane), nearest)) return {};
  if (coincident_.empty()) return nearest;
  const auto found = coincident_.find(nearest.triangle);
  if (found == coincident_.end()) return nearest;
  const auto corners = [&](std::uint32_t t) {
    const auto& [a, b, c] = triangles_[t];
    return std::array<Point, 3>{vertices_[a], vertices_[b], vertices_[c]};
  };
  const auto rank = [&](std::uint32_t t) {
    const bool faces_away = dot(normal_of(corners(t)), direction) > 0.0;
    return std::pair(faces_away, t);
  };
  const Point at = along(from, nearest.distance, direction);
  for (const std::uint32_t t : found->second)
    if (rank(t) < rank(nearest.triangle) && lies_above(corners(t), at)) nearest.triangle = t;
  return nearest;
}

bool TriangleTree::blocked(const Point& from, const Point& direction, std::uint32_t skip, double farthest) const {
  const std::uint32_t plane = plane_of(skip);
  return root_ != no_child && search_->any(searched(), TreeRay(from, direction, middle_, farthest, plane, plane));
}

bool TriangleTree::free_between(const Point& a, const Point& b, std::uint32_t skip_first,
                                std::uint32_t skip_second) const {
  Point way = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  const double length = std::sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
  if (!(length > 0.0) || root_ == no_child) return true;
  for (double& w : way) w /= length;
  return !search_->any(searched(), TreeRay(a, way, middle_, length, plane_of(skip_first), plane_of(skip_second)));
}

double TriangleTree::distance(const Point& from, double farthest) const {
  if (root_ == no_child) return farthest;
  const Point at = minus(from, middle_);
  std::vector<std::uint32_t> waiting{root_};
  double best = farthest * farthest;
  while (!waiting.empty()) {
    const std::uint32_t child = waiting.back();
    waiting.pop_back();
    if ((child & leaf_bit) != 0) {
      const TrianglePacket& four = packets_[child & ~leaf_bit];
      for (std::size_t k = 0; k < 4; ++k) {
        std::array<Point, 3> corners;
        for (std::size_t c = 0; c < 3; ++c)
          for (std::size_t d = 0; d < 3; ++d) corners[c][d] = four.at[c][d][k];
        best = std::min(best, square_distance(corners, from));
      }
      continue;
    }
    const TreeNode& node = nodes_[child];
    for (std::size_t i = 0; i < node_width; ++i) {
      if (node.child[i] == no_child) continue;
      double square = 0.0;
      for (std::size_t d = 0; d < 3; ++d) {
        const double out = std::max({node.sides[d][i] - at[d], at[d] - node.sides[d + 3][i], 0.0});
        square += out * out;
      }
      if (square < best) waiting.push_back(node.child[i]);
    }
  }
  return std::sqrt(best);
}

std::size_t TriangleTree::bytes() const {
  return vertices_.size() * sizeof(Point) + triangles_.size() * sizeof(triangles_[0]) +
         (facet_of_triangle_.size() + plane_of_facet_.size()) * sizeof(std::uint32_t) +
         packets_.size() * sizeof(TrianglePacket) + nodes_.size() * sizeof(TreeNode);
}

}  // namespace fdtd
