// Which kernel and which tile a room gets: tune.hpp's choice, for a run.
#pragma once

#include <array>

#include "engine/backend/backend.hpp"
#include "engine/cuda/tuning/tune.hpp"

namespace fdtd::cuda {

// The kernel that the options name or, without a name, the table's first that takes the job. Throws Error (status
// scene) for an unknown name and for a kernel that does not take the job, with those that do.
const Kernel& choose_kernel(const Job& job, const Device& device, const BackendOptions& options);

// With its best tile on two arrays of the job's layout. The search leaves noise in them: on zeros a GPU may be faster,
// and not in all tiles alike. Where the job has ends of rows it also changes the state of their walls.
// Not `tuned`: with the first of its tiles, and the arrays stay as they are.
Choice choose(const Job& job, const Device& device, const BackendOptions& options, std::array<void*, 2> fields,
              bool tuned = true);

}  // namespace fdtd::cuda
