// An opening between a room and the outside that room.seal closes.
#pragma once

#include <array>
#include <cstdint>

namespace fdtd {

struct SealedOpening {
  std::array<double, 3> position{};  // m, of its surface, next to its middle
  double width = 0.0;                // m, where it is widest
  double length = 0.0;               // m
  double area = 0.0;                 // m2
  std::uint16_t material = 0;        // of the mesh: of most of its surface
};

}  // namespace fdtd
