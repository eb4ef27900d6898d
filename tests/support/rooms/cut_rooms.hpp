// Rooms of voxels with fractions that no geometry has, for proofs that hold whatever they are.
#pragma once

#include <random>

#include "engine/plan/voxels.hpp"

namespace fdtd::test {

// Three voxels and three passages in four are cut, anyhow; one passage in twenty is closed.
Voxels cut_room(const AirMask& air, std::mt19937& random);

}  // namespace fdtd::test
