// The GPUs of this machine, and memory on them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "engine/cuda/kernel.hpp"

namespace fdtd::cuda {

// Throws Error (status resource) where there is no driver or no such device, each with its own message.
Device device_of(int index);
int device_count();           // 0 without a driver or a device
void use_device(int index);   // of this thread, from here on
std::string why_no_device();  // the reason, where device_count() is 0

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
