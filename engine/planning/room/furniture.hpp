// How much of a room's walls belongs to furniture: to whatever stands within the convex hull of the room.
//
// A convex room has the surface of its hull. Surface beyond that is furniture: desks, chairs, screens, panels, beams,
// shelves, walls that part it, both faces of sheets and of thin solids. Waves are scattered there, by edges and by bodies
// of a few cells; fractions are those of the mesh, whatever the grid.
#pragma once

#include <array>
#include <vector>

#include "scenes/mesh/mesh.hpp"

namespace fdtd {

// The surface of the convex hull of points, by Cauchy's formula: four times the mean of its projections' areas (A. Cauchy,
// 1832). Of a box within 0.1 %. Zero for fewer than four points.
double hull_area(const std::vector<std::array<double, 3>>& points);

// The fraction of `area` (m2), that of all walls of a room between `low` and `high` (m), beyond its hull's: that of the
// mesh's vertices there. 0 for a convex room.
double furnished_fraction(const Mesh& mesh, double area, const std::array<double, 3>& low,
                          const std::array<double, 3>& high);

}  // namespace fdtd
