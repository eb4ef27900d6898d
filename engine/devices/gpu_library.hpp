// GPU code as a library of its own, libfdtd_gpu.so, for programs that are built without: its export, and how it is loaded.
// Both sides share C++ types, so they are builds of the same sources.
#pragma once

#include <string>

#include "engine/devices/gpu_row.hpp"

namespace fdtd {

struct GpuEntry {
  std::string (*version)();  // of the library's fdtd; these two stay first in all versions
  std::string (*commit)();
  GpuCode code;
};

constexpr const char* gpu_library_name = "libfdtd_gpu.so";
constexpr const char* gpu_entry_name = "fdtd_gpu_entry";

struct GpuLibrary {
  const GpuCode* code = nullptr;
  std::string why_not;  // empty where there is code
  bool absent = false;  // there is no library, and none was named
};

// Loads the library `file`, a path; an empty one means gpu_library_name beside the program, or in the folder lib of an
// installation, which the program's RPATH names. A library of other sources than this program's is refused.
GpuLibrary load_gpu_library(const std::string& file);

}  // namespace fdtd

extern "C" const fdtd::GpuEntry fdtd_gpu_entry;
