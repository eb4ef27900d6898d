// A device and jobs for tests of what is decided without a GPU.
#pragma once

#include <vector>

#include "engine/cuda/kernels/kernel.hpp"
#include "stencils/catalogue.hpp"

namespace fdtd::cuda {

// An H200's numbers.
inline Device large_device() {
  Device device;
  device.name = "Test GPU";
  device.capability = 90;
  device.tensor_copies = true;
  device.multiprocessors = 132;
  device.registers_per_multiprocessor = 65536;
  device.threads_per_multiprocessor = 2048;
  device.blocks_per_multiprocessor = 32;
  device.shared_per_multiprocessor = 233472;
  device.shared_per_block = 232448;
  device.l2_bytes = 60u << 20U;
  device.memory_bytes = 141000000000;
  device.driver_version = device.runtime_version = 13000;
  return device;
}

// GPUs of the generations that the program takes, by what a block may have of shared memory (CUDA C++ Programming Guide,
// table of technical specifications by compute capability).
inline std::vector<Device> device_generations() {
  std::vector<Device> devices;
  for (const auto& [capability, block, multiprocessor, l2] : {std::array{80, 163, 164, 40},
                                                              {86, 99, 100, 6},
                                                              {89, 99, 100, 72},
                                                              {90, 227, 228, 50},
                                                              {100, 227, 228, 126},
                                                              {120, 99, 100, 96}}) {
    Device device = large_device();
    device.capability = capability;
    device.tensor_copies = capability >= 90;
    device.shared_per_block = static_cast<std::size_t>(block) * 1024;
    device.shared_per_multiprocessor = static_cast<std::size_t>(multiprocessor) * 1024;
    device.l2_bytes = static_cast<std::size_t>(l2) << 20U;
    devices.push_back(device);
  }
  return devices;
}

inline Job job_of(const char* name, std::array<int, 3> size, Precision precision = Precision::f32) {
  const Stencil& stencil = *find_stencil(name);
  Job job;
  job.precision = precision;
  job.stencil = on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant});
  if (precision == Precision::f32) job.stencil = rounded_to_float(job.stencil);
  job.layout = Layout(size, job.stencil.radius, precision == Precision::f32 ? 4 : 8);
  return job;
}

}  // namespace fdtd::cuda
