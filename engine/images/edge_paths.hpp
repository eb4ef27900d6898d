// Paths that an edge bends into its shadow: from the source to the point of the edge by which the path is the
// shortest (Fermat), and on to the receiver.
//
// Which faces meet at this point, and what lies between them, is seen on a small ring about the edge there: edges of
// bodies, of sheets, and of facets that touch others without sharing vertices are found alike. Only shadow counts, where
// source and receiver are at least half a turn apart about the edge; air there must reach round more than 190 degrees, so
// that curved surfaces of many facets have no edge. A shortest way that touches two edges or ends beyond an edge's ends has no
// path.
#pragma once

#include <optional>
#include <vector>

#include "engine/facets/facets.hpp"
#include "engine/images/specular_path.hpp"

namespace fdtd {

// The edges of a room past which sound can bend; any number of threads may ask.
class EdgePaths {
 public:
  explicit EdgePaths(const FacetRoom& room);
  bool blocked(const Point& source, const Point& receiver) const;
  // Sorted by length; of each place on an edge one.
  std::vector<SpecularPath> operator()(const Point& source, const Point& receiver) const;

 private:
  struct Edge {
    Point from{}, way{};  // m; a unit vector
    double length = 0.0;  // m
    std::array<std::uint32_t, 2> facets{no_facet, no_facet};
  };
  std::optional<SpecularPath> path_by(const Edge& edge, const Point& source, const Point& receiver) const;
  std::vector<double> angles_of_faces(const Edge& edge, const Point& at, const Point& zero,
                                      std::vector<std::uint32_t>& facets) const;

  const FacetRoom& room_;
  std::vector<Edge> edges_;
};

}  // namespace fdtd
