// Colour maps of uniform lightness, readable with colour-vision deficiencies.
#pragma once

#include <string>
#include <vector>

#include "engine/files/png.hpp"

namespace fdtd {

// Dark to light through blue and green in `count` steps (2 or more), for levels. The support points are those of
// viridis (S. van der Walt, N. Smith, 2015, CC0).
std::vector<Colour> sequential_colours(int count);
// Blue through white to red in `count` steps, the middle one white when `count` is odd, for pressures. The support
// points are those of ColorBrewer's RdBu (C. A. Brewer, M. Harrower, 2002, Apache 2.0).
std::vector<Colour> diverging_colours(int count);

std::string css(const Colour& colour);  // "#rrggbb"

}  // namespace fdtd
