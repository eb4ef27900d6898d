// A slab's own plan from walls that are its alone afterwards: none of them is held twice.
#pragma once

#include "engine/plan/slab.hpp"

namespace fdtd {

// As cut of slab.hpp from an outline and the walls around the slab.
SlabPlan cut(const Plan& outline, const Slab& slab, RoomPlanes&& planes, std::uint64_t first_branch);

// The planes z = begin..end - 1 of a room alone.
AirMask planes_of(const AirMask& air, int begin, int end);

}  // namespace fdtd
