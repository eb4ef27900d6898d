// A count on the GPU that one stream keeps and kernels of another watch while they run.
#pragma once

#include <cstdint>

#include "engine/cuda/gpu/stream.hpp"

namespace fdtd::cuda {

// *count = value, after all that the stream had before can be seen.
void launch_tell(std::uint32_t* count, std::uint32_t value, Stream stream);

}  // namespace fdtd::cuda
