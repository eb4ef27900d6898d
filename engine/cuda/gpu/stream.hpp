// A CUDA stream, without the runtime's header.
#pragma once

struct CUstream_st;

namespace fdtd::cuda {

using Stream = CUstream_st*;  // cudaStream_t

}  // namespace fdtd::cuda
