// Time on the GPU's own clock. Every time of a kernel or a roof is measured by this one function.
#pragma once

#include <functional>

#include "engine/cuda/gpu/stream.hpp"

namespace fdtd::cuda {

// Seconds between an event before and one after what `work` queues on the stream; waits for the latter.
double seconds_of(Stream stream, const std::function<void()>& work);

}  // namespace fdtd::cuda
