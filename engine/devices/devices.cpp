#include "engine/devices/devices.hpp"

#include <algorithm>

#include "base/error.hpp"

#ifdef FDTD_HAS_CUDA
#include "engine/cuda/gpu/device.hpp"
#endif

namespace fdtd {

#ifdef FDTD_HAS_CUDA

std::unique_ptr<Backend> make_cuda_backend(const BackendOptions& options, int index) {
  return cuda::make_backend(options, index);
}

std::vector<Gpu> gpus() {
  std::vector<Gpu> all;
  for (int i = 0; i < cuda::device_count(); ++i) {
    Gpu gpu;
    gpu.index = i;
    try {
      const cuda::Device device = cuda::device_of(i);
      gpu.name = device.name;
      gpu.capability = device.capability;
      gpu.multiprocessors = device.multiprocessors;
      gpu.driver_version = device.driver_version;
      gpu.runtime_version = device.runtime_version;
      gpu.memory_bytes = static_cast<std::int64_t>(device.memory_bytes);
      cuda::use_device(i);
      gpu.free_bytes = static_cast<std::int64_t>(cuda::free_device_memory());
    } catch (const Error& error) {
      gpu.why_not = error.what();
    }
    all.push_back(gpu);
  }
  return all;
}

std::string why_no_gpu() { return cuda::why_no_device(); }

#else

std::unique_ptr<Backend> make_cuda_backend(const BackendOptions&, int) {
  throw Error(Status::resource, "this program was built without CUDA",
              "build it with nvcc and -DFDTD_CUDA=ON, or use --device cpu");
}

std::vector<Gpu> gpus() { return {}; }

std::string why_no_gpu() { return "this program was built without CUDA"; }

#endif

}  // namespace fdtd
