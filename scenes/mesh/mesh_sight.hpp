// Ray tests against a mesh: is the segment between two points free, and in which fraction of all directions is a point
// open?
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/point.hpp"
#include "scenes/mesh/mesh.hpp"
#include "scenes/mesh/tree/box_tree.hpp"

namespace fdtd {

// For each of `boxes` the triangles whose bounding box intersects it, in ascending order: one pass over the mesh, where
// they are many with a tree of the boxes.
std::vector<std::vector<std::uint32_t>> triangles_near(const Mesh& mesh, const std::vector<AxisBox>& boxes);

// Does no triangle of `among` intersect the segment from a to b? A triangle that contains a itself does not count (T.
// Moeller, B. Trumbore, Fast, minimum storage ray/triangle intersection, J. Graphics Tools 2, 1997).
bool free_between(const Mesh& mesh, const std::vector<std::uint32_t>& among, const Point& a, const Point& b);

// Fraction of 256 evenly distributed directions in which a ray does not hit the mesh: searched in a tree of triangles.
double open_sky(const Mesh& mesh, const Point& from);

}  // namespace fdtd
