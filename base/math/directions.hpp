// Directions all round: unit vectors that cover the sphere, and how well a list of them does.
#pragma once

#include <cstddef>
#include <vector>

#include "base/point.hpp"

namespace fdtd {

// `count` directions in nearly equal solid angles: points on a spiral by the golden angle.
std::vector<Point> spiral(std::size_t count);

// Degrees from the direction that is farthest from all of these unit vectors to the nearest of them: the widest gap
// about 200 of 2000 places on the sphere, each followed to its maximum.
double widest_gap_of(const std::vector<Point>& directions);

}  // namespace fdtd
