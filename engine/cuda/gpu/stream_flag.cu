#include "engine/cuda/gpu/stream_flag.hpp"

#include "engine/cuda/gpu/check.cuh"

namespace fdtd::cuda {
namespace {

__global__ void tell(std::uint32_t* count, std::uint32_t value) {
  __threadfence_system();
  *static_cast<volatile std::uint32_t*>(count) = value;
}

}  // namespace

void launch_tell(std::uint32_t* count, std::uint32_t value, Stream stream) {
  tell<<<1, 1, 0, stream>>>(count, value);
  FDTD_CUDA(cudaGetLastError());
}

}  // namespace fdtd::cuda
