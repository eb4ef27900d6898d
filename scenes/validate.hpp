// Is a parsed scene one that can be simulated? Ranges, names that must exist, positions inside the room.
#pragma once

#include <vector>

#include "scenes/problem.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

// Appends what is wrong with the meaning of `scene` (its syntax and types are parse's business).
void validate(const Scene& scene, std::vector<Problem>& problems);

}  // namespace fdtd
