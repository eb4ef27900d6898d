#include "engine/cuda/gpu/device.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>

#include "base/error.hpp"
#include "engine/cuda/gpu/check.cuh"

namespace fdtd::cuda {
namespace {

thread_local Queue queue_of_thread = Queue::common;

// Once for a device: the pool keeps its memory, and takes none that another thread's work must give up first. Threads
// sleep while they wait, for there may be more of them than processors.
void begin_own_queues(int index) {
  static std::mutex guard;
  static std::set<int> begun;
  const std::lock_guard lock(guard);
  if (begun.contains(index)) return;
  if (cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync) != cudaSuccess) (void)cudaGetLastError();
  cudaMemPool_t pool = nullptr;
  FDTD_CUDA(cudaDeviceGetDefaultMemPool(&pool, index));
  std::uint64_t all = UINT64_MAX;
  FDTD_CUDA(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
  int off = 0;
  FDTD_CUDA(cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowInternalDependencies, &off));
  begun.insert(index);
}

// Bytes that the pool holds and nothing uses.
std::size_t free_in_pool() {
  int index = 0;
  cudaMemPool_t pool = nullptr;
  FDTD_CUDA(cudaGetDevice(&index));
  FDTD_CUDA(cudaDeviceGetDefaultMemPool(&pool, index));
  std::uint64_t held = 0, used = 0;
  FDTD_CUDA(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &held));
  FDTD_CUDA(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  return held > used ? static_cast<std::size_t>(held - used) : 0;
}

// Of work that streams of any kind may have queued.
void wait_in_common_queue() {
  if (queue_of_thread == Queue::common) wait_for_device();
}

}  // namespace

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

void use_device(int index, Queue queue) {
  FDTD_CUDA(cudaSetDevice(index));
  if (queue == Queue::own) begin_own_queues(index);
  queue_of_thread = queue;
}

Queue queue() { return queue_of_thread; }

Stream own_stream() { return queue_of_thread == Queue::own ? cudaStreamPerThread : nullptr; }

bool computes_side_by_side(const Device& device) { return device.tensor_copies && device.memory_pools; }

void expect_own_queues() { (void)::setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0); }

namespace {

Device read_device(int index) {
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
  device.memory_pools = p.memoryPoolsSupported != 0;
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

}  // namespace

Device device_of(int index) {  // the driver takes milliseconds to tell what never changes
  static std::mutex guard;
  static std::map<int, Device> known;
  const std::lock_guard lock(guard);
  const auto found = known.find(index);
  return found != known.end() ? found->second : known.emplace(index, read_device(index)).first->second;
}

void FreeDevice::operator()(void* memory) const {
  if (of_pool)
    (void)cudaFreeAsync(memory, cudaStreamPerThread);
  else
    (void)cudaFree(memory);
}

std::size_t free_device_memory() {
  std::size_t available = 0, total = 0;
  FDTD_CUDA(cudaMemGetInfo(&available, &total));
  return available + (queue_of_thread == Queue::own ? free_in_pool() : 0);
}

DeviceMemory take_device_memory(std::size_t bytes) {
  if (queue_of_thread == Queue::own) {
    void* memory = nullptr;
    FDTD_CUDA(cudaMallocAsync(&memory, bytes, cudaStreamPerThread));
    return DeviceMemory(memory, FreeDevice{true});
  }
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
  wait_in_common_queue();
  FDTD_CUDA(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, own_stream()));
  wait_for_device();
}

void copy_to_host(void* host, const void* device, std::size_t bytes) {
  wait_in_common_queue();
  FDTD_CUDA(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, own_stream()));
  wait_for_device();
}

void clear_device_memory(void* device, std::size_t bytes) {
  wait_in_common_queue();
  FDTD_CUDA(cudaMemsetAsync(device, 0, bytes, own_stream()));
  wait_in_common_queue();
}

void wait_for_device() {
  if (queue_of_thread == Queue::own)
    FDTD_CUDA(cudaStreamSynchronize(cudaStreamPerThread));
  else
    FDTD_CUDA(cudaDeviceSynchronize());
}

}  // namespace fdtd::cuda
