// Edges of facets past which sound can go on. A strip of about a wavelength along them does not reflect as a mirror
// does (C. L. Christensen, J. H. Rindel, A new scattering method that combines roughness and diffraction effects,
// Forum Acusticum, 2005): they decide how much a facet scatters.
//
// A piece of an edge is free where, 1 cm past it in the facet's plane, neither a wall rises nor a surface goes on, at
// up to 10 degrees from the plane: two short rays at each of 8 points of an edge, fewer where it is shorter than 8 cm. Edges
// that two facets share at less than 10 degrees are not free either, which facets of a curved surface need. A facet
// has two sides: the one with more free edges counts, as a closed body and a sheet then have the same. Pieces from which a
// tenth of all directions meets no wall lie outside of the room; within half a metre, pieces that see each other share
// the answer.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/facets/coplanar.hpp"
#include "scenes/mesh/tree/triangle_tree.hpp"

namespace fdtd {

// Where an edge of `facet` is free at its point `at`, on the side of `normal`: a place past it. `away`: a unit vector in the
// plane, from the facet; `inset`: m, on the facet, from where it is looked.
std::optional<Point> past_free_edge(const TriangleTree& tree, std::uint32_t facet, const Point& at, const Point& away,
                                    const Point& normal, double inset);

// Metres of each facet. The same for any number of threads.
std::vector<double> free_edges(const Surface& surface, const std::vector<SurfaceEdge>& edges,
                               const std::vector<Facet>& facets, const std::vector<std::uint32_t>& facet_of_triangle,
                               const TriangleTree& tree);

}  // namespace fdtd
