// The first triangle that a ray meets: a tree of boxes with eight children a node over triangles in double precision.
//
// The boxes are in single precision, rounded outwards, and only prune; the triangle's test has the same sign on both
// sides of an edge that two triangles share (S. Woop, C. Benthin, I. Wald, Watertight ray/triangle intersection,
// J. Computer Graphics Techniques 2, 2013), so that no ray passes between them. A ray that starts on a facet skips the
// facet, and all others in its plane, instead of an offset from its start. Of triangles at the same distance the first
// by number is met: a hit depends on the triangles alone, neither on the tree nor on the instruction set.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/point.hpp"
#include "scenes/mesh/tree/ray_search.hpp"
#include "scenes/mesh/tree/tree_node.hpp"

namespace fdtd {

inline constexpr std::uint32_t no_facet = UINT32_MAX;

// Of triangles those of other facets that lie on them, in ascending order.
using CoincidentTriangles = std::map<std::uint32_t, std::vector<std::uint32_t>>;

class TriangleTree {
 public:
  TriangleTree() = default;
  // Triangles of no_facet are not there. `plane_of_facet` numbers planes: facets of one plane have one number; empty:
  // each facet has a plane of its own.
  TriangleTree(std::vector<Point> vertices, std::vector<std::array<std::uint32_t, 3>> triangles,
               std::vector<std::uint32_t> facet_of_triangle, const std::vector<std::uint32_t>& plane_of_facet = {},
               const RaySearch& search = ray_search());

  // Where triangles lie on each other hit() has the first of those whose normal points towards the ray's start, or of all
  // where none does: surfaces of two materials in one place are as the grid of waves has them, whatever the rounding of
  // their distances.
  void distinguish(CoincidentTriangles coincident) { coincident_ = std::move(coincident); }

  // The first triangle beside those of the plane of the facet `skip` (no_facet: of none) along the unit vector
  // `direction`, nearer than `farthest` (m).
  std::optional<RayHit> hit(const Point& from, const Point& direction, std::uint32_t skip, double farthest) const;

  // Is there any such triangle? Faster than the first.
  bool blocked(const Point& from, const Point& direction, std::uint32_t skip, double farthest) const;

  // Does no triangle lie between a and b, beside those of the planes of two facets (that a and b lie on)?
  bool free_between(const Point& a, const Point& b, std::uint32_t skip_first, std::uint32_t skip_second) const;

  // The distance (m) of the nearest triangle from a point, or `farthest` where none is nearer.
  double distance(const Point& from, double farthest) const;

  const std::vector<Point>& vertices() const { return vertices_; }
  const std::vector<std::array<std::uint32_t, 3>>& triangles() const { return triangles_; }
  std::uint32_t facet(std::uint32_t triangle) const { return facet_of_triangle_[triangle]; }
  std::size_t bytes() const;

 private:
  std::uint32_t plane_of(std::uint32_t facet) const;
  RayTree searched() const { return {nodes_.data(), packets_.data(), root_}; }

  std::vector<Point> vertices_;
  std::vector<std::array<std::uint32_t, 3>> triangles_;
  std::vector<std::uint32_t> facet_of_triangle_, plane_of_facet_;
  CoincidentTriangles coincident_;
  std::vector<TrianglePacket> packets_;
  std::vector<TreeNode> nodes_;
  const RaySearch* search_ = &ray_search();
  std::uint32_t root_ = UINT32_MAX;  // of no triangle
  Point middle_{};                   // m: boxes are relative to it
};

}  // namespace fdtd
