#include "engine/cuda/gpu/stream_flag.hpp"

#include "engine/cuda/gpu/check.cuh"

namespace fdtd::cuda {
namespace {

__global__ void set_flag(std::uint32_t* count, std::uint32_t value) {
  __threadfence_system();
  *static_cast<volatile std::uint32_t*>(count) = value;
}

}  // namespace

void launch_set_flag(std::uint32_t* count, std::uint32_t value, Stream stream) {
  set_flag<<<1, 1, 0, stream>>>(count, value);
  FDTD_CUDA(cudaGetLastError());
}

}  // namespace fdtd::cuda
