// The row of CUDA in the registry of GPU code: part of the program, or of libfdtd_gpu.so.
#include "engine/cuda/gpu/device.hpp"
#include "engine/cuda/make_backend.hpp"
#include "engine/cuda/multigrid/box_poisson.hpp"
#include "engine/cuda/multigrid/masked.hpp"
#include "engine/cuda/step_study.hpp"
#include "engine/cuda/tuning/profile.hpp"

#include "base/error.hpp"
#include "engine/devices/gpu_library.hpp"
#include "engine/system/version.hpp"

namespace fdtd {
namespace {

std::vector<Gpu> cuda_gpus() {
  std::vector<Gpu> all;
  for (int i = 0; i < cuda::device_count(); ++i) {
    Gpu gpu;
    gpu.index = i;
    try {
      const cuda::Device device = cuda::device_of(i);
      gpu.name = device.name;
      gpu.capability = device.capability;
      gpu.multiprocessors = device.multiprocessors;
      gpu.takes_batches = cuda::computes_side_by_side(device);
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

std::unique_ptr<study::KernelStudy> cuda_kernel_study(int index) { return std::make_unique<cuda::GpuBench>(index); }

constexpr GpuCode cuda_code = {
    cuda_gpus,         cuda::why_no_device,   cuda::expect_own_queues,  cuda::make_backend,
    cuda_kernel_study, cuda::make_step_study, cuda::make_masked_solver, cuda::profile_multigrid};

}  // namespace
}  // namespace fdtd

extern "C" __attribute__((visibility("default")))
const fdtd::GpuEntry fdtd_gpu_entry = {fdtd::version, fdtd::commit, fdtd::cuda_code};
