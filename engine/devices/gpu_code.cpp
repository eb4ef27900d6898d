#include "engine/devices/gpu_code.hpp"

#include <cstdlib>

#include "base/error.hpp"
#include "engine/devices/gpu_library.hpp"

namespace fdtd {

#ifdef FDTD_HAS_CUDA

const GpuCode* find_gpu_code() { return &fdtd_gpu_entry.code; }

std::string why_no_gpu_code() { return ""; }

#else

namespace {

const GpuLibrary& gpu_library() {  // sessions of several threads may ask first
  static const GpuLibrary loaded = [] {
    const char* const named = std::getenv("FDTD_GPU_CODE");
    return load_gpu_library(named == nullptr ? "" : named);
  }();
  return loaded;
}

}  // namespace

const GpuCode* find_gpu_code() { return gpu_library().code; }

std::string why_no_gpu_code() { return gpu_library().why_not; }

#endif

const GpuCode& gpu_code() {
  if (const GpuCode* const code = find_gpu_code()) return *code;
  throw Error(Status::resource, why_no_gpu_code(),
              "install roomfdtd-cuda, build the program with nvcc and -DFDTD_CUDA=ON, or use --device cpu");
}

}  // namespace fdtd
