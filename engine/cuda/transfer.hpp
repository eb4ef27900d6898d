// Fields between the GPU's layout and the plan's node order.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/backend.hpp"
#include "engine/cuda/layout.hpp"

namespace fdtd::cuda {

// `field`: the array's first value. restore throws Error (status file) when `bytes` are not the grid's.
void save_field(const void* field, const Layout& layout, std::vector<std::byte>& bytes);
void restore_field(void* field, const Layout& layout, const std::vector<std::byte>& bytes);

// u of the nodes with this index along an axis, as Backend::plane gives it: nothing else leaves the GPU.
void copy_plane(const void* field, const Layout& layout, int axis, int index, std::span<float> values);

// Plane by plane on the host: for the moment when a run has failed.
Extreme extreme_of(const void* field, const Layout& layout);

}  // namespace fdtd::cuda
