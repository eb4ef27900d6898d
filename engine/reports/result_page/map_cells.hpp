// The cells of a map of receivers: each is a rectangle about its receiver that no wall crosses.
#pragma once

#include <array>
#include <vector>

#include "engine/reports/plot.hpp"
#include "engine/results/room_surface.hpp"

namespace fdtd {

// Of receivers at `places` (x, y in m) of one height: a rectangle of the sides `step` about each, cut at the walls of the
// room's horizontal section at that height and at the box about the room. A corner of walls inside it, or an oblique
// wall, leaves the largest part that one cut after the other leaves.
std::vector<CellRectangle> map_cells(const RoomSurface& surface, const std::vector<std::array<double, 2>>& places,
                                     double height, std::array<double, 2> step);

}  // namespace fdtd
