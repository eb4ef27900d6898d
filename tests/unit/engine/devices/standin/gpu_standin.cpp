// A library of GPU code without a GPU: its version is that of STANDIN_VERSION in the environment.
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "engine/devices/gpu_library.hpp"

namespace {

std::string version_of_standin() {
  const char* const version = std::getenv("STANDIN_VERSION");
  return version == nullptr ? "" : version;
}

std::string commit_of_standin() {
  const char* const commit = std::getenv("STANDIN_COMMIT");
  return commit == nullptr ? "" : commit;
}

std::vector<fdtd::Gpu> gpus_of_standin() {
  fdtd::Gpu gpu;
  gpu.name = "stand-in";
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
    fdtd::GpuCode{gpus_of_standin, nullptr, nullptr, backend_of_standin, nullptr, nullptr, nullptr, nullptr}};
