// Parts of a scene that are read without an error and seldom meant: a material that no wall has, a source or a receiver
// on a wall, two of them at one place, a band that ends in the middle of an octave, a box in millimetres.
#pragma once

#include <string>
#include <vector>

#include "scenes/scene.hpp"

namespace fdtd {

// A source or receiver this near to a wall lies on it, m: positions that are copied from a surface are rounded to less.
inline constexpr double on_wall = 1e-3;

// Sentences without an end, each with its place, the effect and the remedy. The plan judges all that
// depends on the grid, such as the distance between a source and a receiver in cells.
std::vector<std::string> input_remarks(const Scene& scene);

}  // namespace fdtd
