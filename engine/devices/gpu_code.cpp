#include "engine/devices/gpu_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "base/error.hpp"
#include "engine/devices/gpu_library.hpp"
#include "engine/devices/idle_gpu_code.hpp"

namespace fdtd {

#ifdef FDTD_HAS_CUDA

const GpuCode* find_gpu_code() { return &fdtd_gpu_entry.code; }

std::string why_no_gpu_code() { return ""; }

static bool is_gpu_code_absent() { return false; }

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

static bool is_gpu_code_absent() { return gpu_library().absent; }

#endif

std::string why_gpu_code_is_idle() {
  if (is_gpu_code_absent()) return "";
  const GpuCode* const code = find_gpu_code();
  if (code == nullptr) return why_no_gpu_code();
  const std::vector<Gpu> found = code->gpus();
  if (found.empty()) return code->why_no_gpu();
  const auto usable = [](const Gpu& gpu) { return gpu.why_not.empty(); };
  if (std::ranges::any_of(found, usable)) return "";
  return fmt::format("cuda:{}: {}", found.front().index, found.front().why_not);
}

const GpuCode& gpu_code() {
  if (const GpuCode* const code = find_gpu_code()) return *code;
  throw Error(
      Status::resource, why_no_gpu_code(),
      "install the wheel roomfdtd_cuda beside that of roomfdtd, build with nvcc and -DFDTD_CUDA=ON, or use --device "
      "cpu");
}

}  // namespace fdtd
