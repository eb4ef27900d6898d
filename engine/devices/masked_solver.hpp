// Conjugate gradients with multigrid on a mask, on the device that is asked for.
#pragma once

#include "engine/devices/target.hpp"
#include "engine/multigrid/masked.hpp"

namespace fdtd {

// Throws Error (status resource) where the program was built without CUDA, or the GPU's memory is short.
multigrid::MakeSolver masked_solver_on(const Target& target, const multigrid::Cycle& cycle = {});

}  // namespace fdtd
