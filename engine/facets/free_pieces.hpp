// The free edges of a facet (free_edges.hpp) as pieces in space.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/facets/facets.hpp"

namespace fdtd {

// A straight piece, m: the facet lies to the left of the way from `from` to `to`, seen from the side that it is free on.
struct FreePiece {
  Point from{}, to{};
};

// Of the facet with these triangles, on the side to which `normal`, a unit vector, points; to an eighth of an edge.
std::vector<FreePiece> free_pieces(const FacetRoom& room, std::span<const std::uint32_t> triangles,
                                   const Point& normal);

}  // namespace fdtd
