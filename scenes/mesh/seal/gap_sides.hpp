// Which pieces across gaps separate a room from the outside?
#pragma once

#include <vector>

#include "base/point.hpp"
#include "scenes/mesh/mesh.hpp"
#include "scenes/mesh/seal/gap_piece.hpp"

namespace fdtd {

// Rays leave both sides of each piece and are reflected by the mesh and the pieces: a side that sees one of the points
// `inside`, at once or after reflections, is of a room; one whose rays get away from the mesh is outside. A piece
// separates both where one side is of a room and rays from the other get outside, through other pieces where they must,
// but through no room. The same for any number of threads.
std::vector<bool> separating(const Mesh& mesh, const std::vector<GapPiece>& pieces, const std::vector<Point>& inside);

}  // namespace fdtd
