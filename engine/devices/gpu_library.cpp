#include "engine/devices/gpu_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "engine/system/version.hpp"

namespace fdtd {
namespace {

std::string build_name(const std::string& version, const std::string& commit) {
  return commit.empty() ? version : fmt::format("{}, commit {}", version, commit);
}

}  // namespace

GpuLibrary load_gpu_library(const std::string& file) {
  const std::string name = file.empty() ? gpu_library_name : file;
  void* const library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const std::string why = ::dlerror();
    const bool absent = file.empty() && why.starts_with(name + ": cannot open shared object file");
    return {nullptr, absent ? "this program has no GPU code" : "GPU code cannot be loaded: " + why, absent};
  }
  const auto* const entry = static_cast<const GpuEntry*>(::dlsym(library, gpu_entry_name));
  if (entry == nullptr)
    return {nullptr, fmt::format("GPU code cannot be loaded: {} is not a library of fdtd", name), false};
  const std::string theirs = build_name(entry->version(), entry->commit()), ours = build_name(version(), commit());
  if (theirs != ours)
    return {nullptr,
            fmt::format("GPU code cannot be used: {} is of fdtd {}, this program is fdtd {}", name, theirs, ours),
            false};
  return {&entry->code, "", false};
}

}  // namespace fdtd
