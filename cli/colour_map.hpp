// Colours for values, even in lightness for eyes of every kind.
#pragma once

#include <string>
#include <vector>

#include "engine/files/png.hpp"

namespace fdtd::cli {

// Dark to light by way of blue and green, `count` steps (2 or more): for levels. The corners are those of viridis
// (S. van der Walt, N. Smith, 2015, CC0).
std::vector<Colour> sequential_colours(int count);
// Blue by way of white to red, `count` steps, the middle one white when it is odd: for pressures. The corners are those of
// ColorBrewer's RdBu (C. A. Brewer, M. Harrower, 2002, Apache 2.0).
std::vector<Colour> diverging_colours(int count);

std::string css(const Colour& colour);  // "#rrggbb"

}  // namespace fdtd::cli
