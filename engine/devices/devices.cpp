#include "engine/devices/devices.hpp"

#include "engine/devices/gpu_code.hpp"

namespace fdtd {

std::unique_ptr<Backend> make_cuda_backend(const BackendOptions& options, int index) {
  return gpu_code().backend(options, index);
}

std::vector<Gpu> gpus() {
  const GpuCode* const code = find_gpu_code();
  return code == nullptr ? std::vector<Gpu>{} : code->gpus();
}

std::string why_no_gpu() {
  const GpuCode* const code = find_gpu_code();
  return code == nullptr ? why_no_gpu_code() : code->why_no_gpu();
}

}  // namespace fdtd
