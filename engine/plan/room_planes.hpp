// The walls and the air of some planes of a room.
#pragma once

#include "engine/plan/plan.hpp"

namespace fdtd {

// Walls and air of planes begin, begin + 1, ... of a room, nodes numbered from plane `begin`. Planes near an end that
// is not an end of the room may differ from those of the room: they only complete the neighbourhood of the others.
struct RoomPlanes {
  int begin = 0;
  AirMask air;
  NearWall near_wall;
  Boundary boundary;
};

}  // namespace fdtd
