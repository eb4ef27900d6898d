// The devices that this build and this machine offer: the CPU, and the GPUs for which the program has code.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/cpu/make_backend.hpp"
#include "engine/cuda/make_backend.hpp"

namespace fdtd {

// The backend on GPU `index`, f32 or f64. Throws Error (status resource) without that GPU or its driver, or when the
// program was built without CUDA; load throws it when the room does not fit into the GPU's free memory.
std::unique_ptr<Backend> make_cuda_backend(const BackendOptions& options = {}, int index = 0);

// The GPUs of this machine, including those that cannot be used.
struct Gpu {
  int index = 0;
  std::string name;
  std::string why_not;  // empty: it can be used
  int capability = 0;   // 10 major + minor
  int multiprocessors = 0;
  int driver_version = 0, runtime_version = 0;  // of CUDA, 1000 major + 10 minor
  std::int64_t memory_bytes = 0, free_bytes = 0;
};
std::vector<Gpu> gpus();
std::string why_no_gpu();  // why gpus() is empty

}  // namespace fdtd
