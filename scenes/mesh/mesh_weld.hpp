// Vertices that exporters wrote apart although they are one: rounded to a few digits, transformed in single precision,
// or computed once for each facet.
#pragma once

#include <cstdint>
#include <vector>

#include "scenes/mesh/mesh.hpp"

namespace fdtd {

// The distance (m) within which two vertices are one: 2e-5 of the diagonal of the bounding box; at least 0.2 mm, the
// rounding of metres with four decimals, but no more than 1e-4 of the diagonal for that; at least four units in the
// last place of a coordinate in the mesh's precision, but no more than 1e-3 of the diagonal for that.
double weld_tolerance(const Mesh& mesh);

// For each vertex the one that stands for it, at most a 64th of `tolerance` away: what differs by rounding in single
// precision, but not the two sides of a thin plate.
std::vector<std::uint32_t> weld_finely(const Mesh& mesh, double tolerance);

// The same for vertices up to the tolerance, 4/3 of it at most. The closest are merged first, in steps of growing
// tolerance of which `finely` is the first, so that the two sides of a seam do not go to different neighbours.
std::vector<std::uint32_t> weld(const Mesh& mesh, double tolerance, std::vector<std::uint32_t> finely);

}  // namespace fdtd
