// Strips from edges of a mesh to the surfaces that are nearest to them across a gap.
#pragma once

#include <cstddef>
#include <vector>

#include "scenes/mesh/mesh.hpp"
#include "scenes/mesh/seal/gap_edges.hpp"
#include "scenes/mesh/seal/gap_piece.hpp"

namespace fdtd {

// From each edge, in the planes perpendicular to it, to the nearest surface in the directions that lead away from its
// facets, where that is nearer than `width` (m), and than the edge's reach. Strips end on the surface that they lead to;
// a strip that lies on one from a longer edge is left out. Surfaces nearer than `tolerance` (m) touch. In the order of
// the edges, whatever the number of threads; nothing more past `most` pieces.
std::vector<GapPiece> gap_strips(const Mesh& mesh, const std::vector<GapEdge>& edges, double width, double tolerance,
                                 std::size_t most);

}  // namespace fdtd
