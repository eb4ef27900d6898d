// The devices that this build and this machine offer: the CPU, and the GPUs for which the program has code.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/cpu/make_backend.hpp"
#include "engine/cuda/make_backend.hpp"
#include "engine/devices/gpu.hpp"

namespace fdtd {

// The backend on GPU `index`, f32 or f64. Throws Error (status resource) without that GPU or its driver, or when the
// program was built without CUDA; load throws it when the room does not fit into the GPU's free memory.
std::unique_ptr<Backend> make_cuda_backend(const BackendOptions& options = {}, int index = 0);

std::vector<Gpu> gpus();   // of this machine, including those that cannot be used
std::string why_no_gpu();  // why gpus() is empty

}  // namespace fdtd
