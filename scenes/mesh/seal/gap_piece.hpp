// A piece of surface across a gap.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/point.hpp"

namespace fdtd {

struct GapPiece {
  std::vector<std::array<Point, 3>> triangles;  // m
  double width = 0.0;                           // m, of the gap where it is widest
  double length = 0.0;                          // m
  std::vector<std::uint32_t> facets;            // of the mesh, at its border
};

}  // namespace fdtd
