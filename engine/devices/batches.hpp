// Batches: rooms that threads of one process compute side by side on a GPU.
#pragma once

#include "engine/devices/target.hpp"

namespace fdtd {

// Before a process that computes several rooms at a time on a GPU uses it, for them to run side by side.
void expect_batches();
// Throws Error (status resource) where the target computes one room at a time, with what does otherwise.
void require_batches(const Target& target);

}  // namespace fdtd
