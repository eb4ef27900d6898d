// Roofs: rates that no kernel of one step a launch can exceed on this GPU and these arrays. Every speed is reported
// beside one.
//   triad      u0 <- 2 u1 - u0   the leapfrog triad: what the scheme itself moves, 3 values a node
//   copy       u0 <- u1          2 values a node
//   copy_halo  u0 <- u1          read block by block through shared memory, each with the halo that a stencil of the
//                                layout's radius would read: the copy that Krotkiewski & Dabrowski compare a
//                                stencil with (Parallel Computing 39, 2013)
#pragma once

#include <array>
#include <functional>

#include "engine/cuda/kernels/kernel.hpp"

namespace fdtd::cuda {

enum class Roof { triad, copy, copy_halo };
const char* to_string(Roof roof);

struct PreparedRoof {
  // One pass over the nodes, u1 = fields[which], u0 = fields[1 - which]. Asynchronous. Zeros outside the box stay
  // zeros.
  std::function<void(int which, Stream stream)> pass;
  double bytes_a_point = 0.0;  // ideal: what DRAM must move
};

// Made ready for two arrays of this layout: of a few shapes of the launch the one that is fastest here, tried on the
// arrays themselves (their values change).
PreparedRoof prepare_roof(Roof roof, const Layout& layout, std::array<void*, 2> fields);

}  // namespace fdtd::cuda
