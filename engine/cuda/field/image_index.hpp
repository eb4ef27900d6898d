// ImageWalls images (plan/image_walls.hpp) by their places.
#pragma once

#include "engine/cuda/gpu/host_device.hpp"

namespace fdtd::cuda {

// The node of [0, n) whose image lies at q; its own place if it is none. As far as n behind a wall.
FDTD_BOTH int unfolded(int q, int n) { return q < 0 ? -1 - q : q >= n ? 2 * n - 1 - q : q; }

}  // namespace fdtd::cuda
