// The two arrays of a step, as a kernel reads and writes them.
#pragma once

#include <array>
#include <cstddef>

#include "engine/cuda/field/layout.hpp"

namespace fdtd::cuda {

// Both point to node (0, 0, 0): the step reads u1 = fields[which] and writes u0 = fields[1 - which].
template <class T>
struct StepFields {
  const T* u1;
  T* u0;
  StepFields(const Layout& layout, const std::array<void*, 2>& fields, int which)
      : u1(static_cast<const T*>(fields[static_cast<std::size_t>(which)]) + layout.first),
        u0(static_cast<T*>(fields[static_cast<std::size_t>(1 - which)]) + layout.first) {}
};

}  // namespace fdtd::cuda
