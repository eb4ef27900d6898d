// The GPU backend and the memory that it needs.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/backend/backend.hpp"

namespace fdtd {

// Decided without a GPU, in every build.
std::int64_t cuda_state_bytes(const Plan& plan);  // what load will take on the GPU; without walls: the fields
std::int64_t cuda_state_bytes(const Plan& shape, const PlaneCounts& walls);

}  // namespace fdtd

namespace fdtd::cuda {

// On the GPU of that number. Throws Error (status resource) where there is none.
std::unique_ptr<Backend> make_backend(const BackendOptions& options, int index);

}  // namespace fdtd::cuda
