// The GPUs of this machine, and memory on them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace fdtd::cuda {

// The properties of a device that decide kernels and tiles (a part of cudaDeviceProp).
struct Device {
  int index = 0;
  std::string name;
  int capability = 0;  // 10 major + minor: 90
  // It has the tensor copy engine (9.0 and newer), and the program holds code for it that uses the engine.
  bool tensor_copies = false;
  int multiprocessors = 0;
  int registers_per_multiprocessor = 0;
  int threads_per_multiprocessor = 0, blocks_per_multiprocessor = 0;
  std::size_t shared_per_multiprocessor = 0, shared_per_block = 0;  // bytes; the latter with the opt-in
  std::size_t l2_bytes = 0, memory_bytes = 0;
  int driver_version = 0, runtime_version = 0;  // 1000 major + 10 minor
};

// Throws Error (status resource) where there is no driver or no such device, each with its own message.
Device device_of(int index);
bool runs_tensor_copies(int capability);  // Device::tensor_copies; no GPU is asked
int device_count();                       // 0 without a driver or a device
void use_device(int index);               // of this thread, from here on
std::string why_no_device();              // the reason, where device_count() is 0

struct FreeDevice {
  void operator()(void* memory) const;
};
using DeviceMemory = std::unique_ptr<void, FreeDevice>;

// Memory on the current device. Throws Error (status resource) with what was asked and what is free.
DeviceMemory take_device_memory(std::size_t bytes);
std::size_t free_device_memory();

// Bytes between host and device, and zeros, in order after all that was queued; each returns when it is done.
void copy_to_device(void* device, const void* host, std::size_t bytes);
void copy_to_host(void* host, const void* device, std::size_t bytes);
void clear_device_memory(void* device, std::size_t bytes);
void wait_for_device();

}  // namespace fdtd::cuda
