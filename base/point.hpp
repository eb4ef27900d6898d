// A point or a vector of space.
#pragma once

#include <array>

namespace fdtd {

using Point = std::array<double, 3>;  // m

}  // namespace fdtd
