// Which kernel and which tile a job gets.
#pragma once

#include <array>

#include "engine/backend.hpp"
#include "engine/cuda/kernel.hpp"

namespace fdtd::cuda {

struct Chosen {
  const Kernel* kernel = nullptr;
  Tile tile;
};

// The kernel that the options name or, without a name, the table's first that takes the job, with its best tile on two
// arrays of the job's layout. Throws Error (status scene) for an unknown name and for a kernel that does not take the job,
// with those that do.
Chosen choose(const Job& job, const Device& device, const BackendOptions& options, std::array<void*, 2> fields);

}  // namespace fdtd::cuda
