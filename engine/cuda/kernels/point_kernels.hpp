// What KernelA and KernelB share.
#pragma once

#include <vector>

#include "engine/cuda/kernels/kernel.hpp"

namespace fdtd::cuda {

// The tiles of kernels that read every point from memory or cache, a node a thread (DAFx-15's first), and the bytes of
// reading each.
std::vector<Tile> point_tiles();
double point_bytes(const Job& job);

}  // namespace fdtd::cuda
