// Fields between the GPU's layout and the plan's node order.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/backend.hpp"
#include "engine/cuda/layout.hpp"

namespace fdtd::cuda {

// `field`: the array's first value. restore throws Error (status file) when `bytes` are not the grid's.
void save_field(const void* field, const Layout& layout, std::vector<std::byte>& bytes);
void restore_field(void* field, const Layout& layout, const std::vector<std::byte>& bytes);

// Plane by plane on the host: for the moment when a run has failed.
Extreme extreme_of(const void* field, const Layout& layout);

}  // namespace fdtd::cuda
