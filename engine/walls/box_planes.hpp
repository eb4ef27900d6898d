// A box room's walls without the box: those of some of its planes, and what lies on every plane. Both are exact. A
// slab's rank builds its own planes alone, and all ranks share out a room by counts that a few small rooms give.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "engine/plan/plan.hpp"
#include "engine/plan/plane_counts.hpp"
#include "engine/plan/room_planes.hpp"

namespace fdtd {

// Of the box that `outline` has the grid, the stencil and the laws (Boundary::laws) of: planes that hold [begin, end),
// in which they are those of the whole box. `walls`: material names in the order of wall_names.
RoomPlanes box_planes(const Plan& outline, const std::array<std::string, 6>& walls, int begin, int end);

// The planes, at most, that box_planes makes for that.
std::pair<int, int> planes_about(const Plan& outline, int begin, int end);

// plane_counts of the whole box. Away from its edges a box repeats itself every other plane (tap_owners.hpp): along z
// planes of a short box stand for all, and across it what lies on a plane is linear in the number of its columns and of
// its rows.
std::vector<PlaneCounts> box_counts(const Plan& outline, const std::array<std::string, 6>& walls);

}  // namespace fdtd
