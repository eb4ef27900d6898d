// The parts of a coupled room.
#pragma once

#include "engine/estimate/diffusion_room.hpp"

namespace fdtd {

// An opening separates two parts where the clearance in it is below this fraction of the smaller part's largest.
inline constexpr double narrow = 0.6;
// Parts of less than this fraction of the volume belong to their neighbour.
inline constexpr double smallest_part = 0.02;

// Fills in `part` and `parts` from the air and the walls.
void find_parts(DiffusionRoom& room);

}  // namespace fdtd
