// The walls of a box without building the whole box: those on some of its planes, and counts on every plane. Both are
// exact. A rank builds only the planes of its slab, and all ranks share a room by counts extrapolated from a few small
// rooms.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "engine/plan/plan.hpp"
#include "engine/plan/plane_counts.hpp"
#include "engine/plan/room_planes.hpp"
#include "engine/walls/wall_law.hpp"

namespace fdtd {

// Planes that include [begin, end), where they equal those of the whole box, whose grid, stencil and laws
// (Boundary::laws) are in `outline`. `walls`: material names in the order of wall_names.
RoomPlanes box_planes(const Plan& outline, const std::array<std::string, 6>& walls, int begin, int end);

// The planes that box_planes builds for [begin, end), at most: [first, last).
std::pair<int, int> planes_about(const Plan& outline, int begin, int end);

// tap_fractions of the whole box. Areas are linear in each of its sides, but for their parity: a few small boxes suffice.
std::vector<TapFraction> box_tap_fractions(const Plan& outline, const std::array<std::string, 6>& walls);

// plane_counts of the whole box. Away from its edges a box repeats every other plane (tap_owners.hpp): along z the
// planes of a short box represent all, and the counts of a plane are linear in the numbers of its columns and rows.
std::vector<PlaneCounts> box_counts(const Plan& outline, const std::array<std::string, 6>& walls);

}  // namespace fdtd
