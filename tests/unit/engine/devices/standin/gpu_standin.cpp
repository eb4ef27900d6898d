// A library of GPU code without a GPU: its version is that of STANDIN_VERSION in the environment; STANDIN_REASON is why
// it finds no GPU, STANDIN_FAULT why the one that it has cannot be used.
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "engine/devices/gpu_library.hpp"

namespace {

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string version_of_standin() { return environment("STANDIN_VERSION"); }

std::string commit_of_standin() { return environment("STANDIN_COMMIT"); }

std::string reason_of_standin() { return environment("STANDIN_REASON"); }

std::vector<fdtd::Gpu> gpus_of_standin() {
  if (!reason_of_standin().empty()) return {};
  fdtd::Gpu gpu;
  gpu.name = "stand-in";
  gpu.why_not = environment("STANDIN_FAULT");
  gpu.capability = 90;
  return {gpu};
}

std::unique_ptr<fdtd::Backend> backend_of_standin(const fdtd::BackendOptions&, int index) {
  throw fdtd::Error(fdtd::Status::resource, "cuda:" + std::to_string(index) + ": a stand-in computes nothing",
                    "use --device cpu");
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const fdtd::GpuEntry fdtd_gpu_entry = {
    version_of_standin, commit_of_standin,
    fdtd::GpuCode{gpus_of_standin, reason_of_standin, nullptr, backend_of_standin, nullptr, nullptr, nullptr, nullptr}};
