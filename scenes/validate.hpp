// Is a parsed scene one that can be simulated? Names that must exist, names that must differ, positions inside the
// room. The ranges of single values stand beside their keys, in keys.cpp.
#pragma once

#include <vector>

#include "scenes/problem.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

// Appends what is wrong with the meaning of `scene` (its syntax and types are parse's business).
void validate(const Scene& scene, std::vector<Problem>& problems);

}  // namespace fdtd
