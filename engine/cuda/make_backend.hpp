#pragma once

#include "engine/backend.hpp"

namespace fdtd::cuda {

// On the GPU of that number. Throws Error (status resource) where there is none.
std::unique_ptr<Backend> make_backend(const BackendOptions& options, int index);

}  // namespace fdtd::cuda
