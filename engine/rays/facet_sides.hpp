// Facets that a way surely does not cross, without a search: it ends on the side of their planes where it begins, or does
// not come near to them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/facets/facets.hpp"
#include "scenes/mesh/tree/box_tree.hpp"

namespace fdtd {

class FacetSides {
 public:
  explicit FacetSides(const FacetRoom& room);

  // The facets that come near to a ball, for apart(); empty: they are too many, or its centre lies beside one.
  std::vector<std::uint32_t> about(const Point& centre, double radius) const;

  // Whether the way from the centre to a point of the ball surely crosses none of its facets. Of an empty list: false.
  bool apart(std::span<const std::uint32_t> facets, const Point& centre, const Point& at) const;

 private:
  struct Plane {
    Point normal{};
    double offset = 0.0;  // m
    AxisBox box;          // of the facet
  };
  std::vector<Plane> planes_;  // by facet
  std::optional<BoxTree> tree_;
};

}  // namespace fdtd
