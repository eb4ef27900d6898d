// The node whose mirror image lies at an index behind a wall (plan/image_walls.hpp).
#pragma once

#include "engine/cuda/gpu/host_device.hpp"

namespace fdtd::cuda {

// The node of [0, n) whose image lies at q, up to n nodes behind a wall; q itself where q is in [0, n).
FDTD_HOST_DEVICE int image_index(int q, int n) { return q < 0 ? -1 - q : q >= n ? 2 * n - 1 - q : q; }

}  // namespace fdtd::cuda
