// The Poisson problem of engine/multigrid/box_levels.hpp on the current GPU, measured.
#pragma once

#include "engine/multigrid/profile.hpp"

namespace fdtd::cuda {

// As multigrid::profile_on_cpu, in the same precision, on device `device`. Throws Error (resource) where memory is short.
multigrid::Profile profile_multigrid(int device, const std::array<int, 3>& nodes, const multigrid::Cycle& cycle,
                                     int repeats);

}  // namespace fdtd::cuda
