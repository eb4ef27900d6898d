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
std::string why_no_device();  // the reason, where device_count() is 0

struct FreeDevice {
  void operator()(void* memory) const;
};
using DeviceMemory = std::unique_ptr<void, FreeDevice>;

// Memory on the current device. Throws Error (status resource) with what was asked and what is free.
DeviceMemory take_device_memory(std::size_t bytes);
std::size_t free_device_memory();

}  // namespace fdtd::cuda
