// Conjugate gradients with a multigrid cycle on a mask of trilinear elements (engine/multigrid/masked.hpp) on a GPU.
#pragma once

#include <memory>

#include "engine/multigrid/masked.hpp"

namespace fdtd::cuda {

// On device `device`, with the same operators, sweeps and transfers as multigrid::MaskedMultigrid: the cycle in f32,
// products and residuals in f64, all sums in a fixed order. Vectors are in host memory. A solver is of the thread that
// made it. Throws Error (resource) where memory is short.
std::shared_ptr<multigrid::MaskedSolver> make_masked_solver(int device, const multigrid::MaskLevels& levels,
                                                            const multigrid::Cycle& cycle = {});

}  // namespace fdtd::cuda
