// The walls and the air of some planes of a room.
#pragma once

#include "engine/plan/plan.hpp"

namespace fdtd {

// Walls and air of planes begin, begin + 1, ... of a room, nodes numbered from plane `begin`. Planes near an end that is none
// of the room's are there to be read, not to be believed.
struct RoomPlanes {
  int begin = 0;
  AirMask air;
  NearWall near_wall;
  Boundary boundary;
};

}  // namespace fdtd
