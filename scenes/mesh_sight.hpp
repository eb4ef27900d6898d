// What a point of space sees of a mesh: whether a way to another point is free, and how much of the sky.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "scenes/mesh.hpp"

namespace fdtd {

using Point = std::array<double, 3>;  // m

// Triangles whose bounding box reaches into the box [low, high].
std::vector<std::uint32_t> triangles_near(const Mesh& mesh, const Point& low, const Point& high);

// No triangle of `among` lies between a and b; one that holds a itself does not hinder (T. Moeller, B. Trumbore, Fast,
// minimum storage ray/triangle intersection, J. Graphics Tools 2, 1997).
bool free_between(const Mesh& mesh, const std::vector<std::uint32_t>& among, const Point& a, const Point& b);

// Share of all directions in which nothing of the mesh is met, from 256 of them.
double open_sky(const Mesh& mesh, const Point& from);

}  // namespace fdtd
