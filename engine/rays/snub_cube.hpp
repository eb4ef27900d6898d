// The directions of arrival: the 24 vertices of a snub cube, whose cells on the sphere are all alike.
#pragma once

#include <array>
#include <cstddef>

#include "engine/facets/facet.hpp"  // Point

namespace fdtd {

inline constexpr std::size_t arrival_directions = 24;

// Unit vectors.
const std::array<Point, arrival_directions>& snub_cube();

// The number of the vertex nearest to a direction.
std::size_t nearest_vertex(const Point& direction);

}  // namespace fdtd
