// What of the field a GPU's second-level cache holds.
#pragma once

#include "engine/cuda/field/layout.hpp"
#include "engine/cuda/gpu/device.hpp"

namespace fdtd::cuda {

// Whether both fields fit L2: memory then bounds nothing.
inline bool lies_in_l2(const Layout& layout, const Device& device) {
  return 2 * layout.bytes() <= static_cast<std::int64_t>(device.l2_bytes);
}

}  // namespace fdtd::cuda
