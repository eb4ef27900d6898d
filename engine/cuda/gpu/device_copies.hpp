// Copies within the GPU's memory. Asynchronous.
#pragma once

#include <cstddef>

#include "engine/cuda/gpu/stream.hpp"

namespace fdtd::cuda {

void copy_on_device(void* to, const void* from, std::size_t bytes, Stream stream);

// Rows of so many bytes, which begin `to_pitch` and `from_pitch` bytes apart.
void copy_rows_on_device(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t bytes,
                         std::size_t rows, Stream stream);

}  // namespace fdtd::cuda
