// Checks whether a parsed scene can be simulated: names that must exist, names that must differ, positions inside the
// room. The readers of the keys check the range of each value (keys.hpp).
#pragma once

#include <vector>

#include "base/problem.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

// Appends the problems of `scene` to `problems`.
void validate(const Scene& scene, std::vector<Problem>& problems);

}  // namespace fdtd
