#include "engine/cuda/gpu/device.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "engine/cuda/gpu/check.cuh"

namespace fdtd::cuda {

void fail(cudaError_t error, const char* call) {
  const std::string what = fmt::format("{} ({})", cudaGetErrorString(error), cudaGetErrorName(error));
  switch (error) {
    case cudaErrorNoDevice:
      throw Error(Status::resource, "this machine has no GPU that CUDA knows", "take --device cpu");
    case cudaErrorInsufficientDriver:
    case cudaErrorStubLibrary:
    case cudaErrorSystemDriverMismatch:
      throw Error(Status::resource, "there is no NVIDIA driver, or one too old for this program: " + what,
                  "install a newer driver, or take --device cpu");
    case cudaErrorMemoryAllocation:
      (void)cudaGetLastError();
      throw Error(Status::resource, "the GPU has not enough free memory",
                  "a coarser grid, f32 instead of f64, another GPU, or --device cpu");
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion:
      throw Error(Status::resource, "this program holds no code for this GPU: " + what,
                  "build it with -DCMAKE_CUDA_ARCHITECTURES=native on this machine");
    case cudaErrorDevicesUnavailable:
      throw Error(Status::resource, "the GPU is taken by another program or in a mode that refuses this one: " + what,
                  "wait, or take another GPU or --device cpu");
    case cudaErrorECCUncorrectable:
    case cudaErrorHardwareStackError:
    case cudaErrorLaunchFailure:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorUnknown:
      throw Error(Status::resource, fmt::format("the GPU was lost during a run: {} in {}", what, call),
                  "see the system's log for the device; a checkpoint, where there is one, is still valid");
    default:
      throw Error(Status::resource, fmt::format("CUDA: {} in {}", what, call));
  }
}

int device_count() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    (void)cudaGetLastError();
    return 0;
  }
  return count;
}

std::string why_no_device() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess) return count > 0 ? "" : "no GPU";
  (void)cudaGetLastError();
  return cudaGetErrorString(error);
}

void use_device(int index) { FDTD_CUDA(cudaSetDevice(index)); }

Device device_of(int index) {
  int count = 0;
  FDTD_CUDA(cudaGetDeviceCount(&count));
  if (index < 0 || index >= count) {
    throw Error(Status::resource, fmt::format("there is no GPU {}: this machine has {}", index, count),
                count > 0 ? fmt::format("cuda:0 to cuda:{}", count - 1) : "take --device cpu");
  }
  cudaDeviceProp p{};
  FDTD_CUDA(cudaGetDeviceProperties(&p, index));
  Device device;
  device.index = index;
  device.name = p.name;
  device.capability = 10 * p.major + p.minor;
  device.tensor_copies = runs_tensor_copies(device.capability);
  device.multiprocessors = p.multiProcessorCount;
  device.registers_per_multiprocessor = p.regsPerMultiprocessor;
  device.threads_per_multiprocessor = p.maxThreadsPerMultiProcessor;
  device.blocks_per_multiprocessor = p.maxBlocksPerMultiProcessor;
  device.shared_per_multiprocessor = p.sharedMemPerMultiprocessor;
  device.shared_per_block = p.sharedMemPerBlockOptin;
  device.l2_bytes = static_cast<std::size_t>(p.l2CacheSize);
  device.memory_bytes = p.totalGlobalMem;
  FDTD_CUDA(cudaDriverGetVersion(&device.driver_version));
  FDTD_CUDA(cudaRuntimeGetVersion(&device.runtime_version));
  if (device.capability < 80) {
    throw Error(
        Status::resource,
        fmt::format("GPU {} ({}) is of compute capability {}.{}: 8.0 is needed", index, device.name, p.major, p.minor),
        "take --device cpu");
  }
  return device;
}

void FreeDevice::operator()(void* memory) const { (void)cudaFree(memory); }

std::size_t free_device_memory() {
  std::size_t available = 0, total = 0;
  FDTD_CUDA(cudaMemGetInfo(&available, &total));
  return available;
}

DeviceMemory take_device_memory(std::size_t bytes) {
  const std::size_t available = free_device_memory();
  void* memory = nullptr;
  const cudaError_t error = bytes > available ? cudaErrorMemoryAllocation : cudaMalloc(&memory, bytes);
  if (error == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    throw Error(Status::resource,
                fmt::format("the GPU has {:.3g} GB free, {:.3g} GB were requested",
                            static_cast<double>(available) * 1e-9, static_cast<double>(bytes) * 1e-9),
                "a coarser grid, f32 instead of f64, another GPU, or --device cpu");
  }
  FDTD_CUDA(error);
  return DeviceMemory(memory);
}

void copy_to_device(void* device, const void* host, std::size_t bytes) {
  wait_for_device();
  FDTD_CUDA(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
}

void copy_to_host(void* host, const void* device, std::size_t bytes) {
  wait_for_device();
  FDTD_CUDA(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));
}

void clear_device_memory(void* device, std::size_t bytes) {
  wait_for_device();
  FDTD_CUDA(cudaMemset(device, 0, bytes));
  wait_for_device();
}

void wait_for_device() { FDTD_CUDA(cudaDeviceSynchronize()); }

}  // namespace fdtd::cuda
