// The registry of GPU code: one row a vendor's backend, with all that the program asks of its devices. The folders above
// reach GPUs through the functions of this folder, which read the row of this build or of a library beside it; a second
// vendor is a second row.
#pragma once

#include <string>

#include "engine/devices/gpu_row.hpp"

namespace fdtd {

// The row of the program; of one without, that of libfdtd_gpu.so (gpu_library.hpp), which the first call loads: the file
// that FDTD_GPU_CODE in the environment names, or that beside the program. nullptr where there is neither.
const GpuCode* find_gpu_code();
std::string why_no_gpu_code();  // empty where there is some
const GpuCode& gpu_code();      // throws Error (status resource) where there is none

}  // namespace fdtd
