// Holes: closed loops of open edges.
#pragma once

#include <vector>

#include "scenes/mesh/mesh.hpp"
#include "scenes/mesh/seal/gap_piece.hpp"

namespace fdtd {

// The holes in which no circle of the diameter `width` (m) has room; loops at which a sheet ends in the air are none.
// With `flat` only those in a plane that are no slits. Vertices nearer than `tolerance` (m) are one. In the order of their first edge.
std::vector<GapPiece> gap_holes(const Mesh& mesh, double width, double tolerance, bool flat);

}  // namespace fdtd
