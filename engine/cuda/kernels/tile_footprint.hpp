// Whether the second-level cache of a GPU holds the field.
#pragma once

#include "engine/cuda/field/layout.hpp"
#include "engine/cuda/gpu/device.hpp"

namespace fdtd::cuda {

// Whether both fields fit L2: memory then bounds nothing.
inline bool lies_in_l2(const Layout& layout, const Device& device) {
  return 2 * layout.bytes() <= static_cast<std::int64_t>(device.l2_bytes);
}

}  // namespace fdtd::cuda
