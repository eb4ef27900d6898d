// Fields between the GPU's layout and the plan's node order.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/backend/backend.hpp"
#include "engine/cuda/field/layout.hpp"

namespace fdtd::cuda {

// `count` planes from `begin` on; `field`: the array's first value. The bytes are the planes' nodes, in their order.
void save_planes(const void* field, const Layout& layout, int begin, int count, std::byte* to);
void restore_planes(void* field, const Layout& layout, int begin, int count, const std::byte* from);

// u of the nodes with this index along an axis, as Backend::plane gives it: nothing else leaves the GPU.
void copy_plane(const void* field, const Layout& layout, int axis, int index, std::span<float> values);

// Plane by plane on the host: for the moment when a run has failed.
Extreme extreme_of(const void* field, const Layout& layout);

}  // namespace fdtd::cuda
