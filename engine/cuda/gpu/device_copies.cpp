#include "engine/cuda/gpu/device_copies.hpp"

#include "engine/cuda/gpu/check.cuh"

namespace fdtd::cuda {

void copy_on_device(void* to, const void* from, std::size_t bytes, Stream stream) {
  if (bytes > 0) FDTD_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream));
}

void copy_rows_on_device(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t bytes,
                         std::size_t rows, Stream stream) {
  if (bytes > 0 && rows > 0)
    FDTD_CUDA(cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, bytes, rows, cudaMemcpyDeviceToDevice, stream));
}

}  // namespace fdtd::cuda
