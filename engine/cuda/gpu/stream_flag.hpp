// A counter in GPU memory that one stream sets and kernels of another stream poll while they run.
#pragma once

#include <cstdint>

#include "engine/cuda/gpu/stream.hpp"

namespace fdtd::cuda {

// Sets *count = value once everything that the stream did before is visible to other kernels.
void launch_set_flag(std::uint32_t* count, std::uint32_t value, Stream stream);

}  // namespace fdtd::cuda
