// Closes narrow openings through which a room leaks to the outside.
//
// Real models are not watertight. The openings are found in the mesh itself, not on a grid: strips are laid from edges
// at which a surface ends or turns away to the surface across the gap, where that is nearer than a given width
// (gap_strips.hpp), and holes are filled (gap_holes.hpp). Of these pieces those stay that separate a room from the
// outside (gap_sides.hpp), the ones next to the room where a gap has several. All others are dropped: slits inside a
// room, or between two rooms, are left as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/point.hpp"
#include "scenes/mesh/mesh.hpp"
#include "scenes/mesh/seal/sealed_opening.hpp"

namespace fdtd {

struct Sealing {
  std::vector<SealedOpening> openings;  // the largest first
  bool too_many = false;                // more than `most_gaps`: nothing is closed
};

// The largest width (m) that makes sense: a tenth of the shortest side of the bounding box.
double widest_seal(const Mesh& mesh);

inline constexpr std::size_t most_gaps = 20'000;

// Adds triangles to the mesh that close its openings narrower than `width` (m, > 0) between the space around the points
// `inside` and the outside; each has the material of most of the area of the facets at its border. The triangles that
// were there keep their numbers. Takes time with the number of edges and of gaps; about 2 kB a gap. The same for any
// number of threads.
Sealing seal_mesh(Mesh& mesh, double width, const std::vector<Point>& inside);

}  // namespace fdtd
