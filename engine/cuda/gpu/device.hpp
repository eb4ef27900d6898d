// The GPUs of this machine, and memory on them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "engine/cuda/gpu/stream.hpp"

namespace fdtd::cuda {

// The properties of a device that decide kernels and tiles (a part of cudaDeviceProp).
struct Device {
  int index = 0;
  std::string name;
  int capability = 0;  // 10 major + minor: 90
  // It has the tensor copy engine (9.0 and newer), and the program holds code for it that uses the engine.
  bool tensor_copies = false;
  bool memory_pools = false;  // as work beside that of other threads needs them (Queue::own)
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
std::string why_no_device();              // the reason, where device_count() is 0

// The order of the calling thread's copies, launches and memory on a GPU. common: one queue for all threads, each piece
// of work behind all before it. own: a queue of this thread, whose work runs beside that of other threads; memory comes
// from a pool that stays with the process, because cudaMalloc and cudaFree wait for the whole GPU.
enum class Queue { common, own };
void use_device(int index, Queue queue = Queue::common);  // of this thread, from here on
Queue queue();
Stream own_stream();                               // of this thread's copies and launches; nullptr: the common one
bool computes_side_by_side(const Device& device);  // whether several threads' queues may be their own
// To be called before the process uses a GPU: queues of so many threads do not wait for each other in the driver.
void expect_own_queues();

struct FreeDevice {
  bool of_pool = false;  // freed in the queue of the thread that frees it
  void operator()(void* memory) const;
};
using DeviceMemory = std::unique_ptr<void, FreeDevice>;

// Memory on the current device. Throws Error (status resource) with what was asked and what is free.
DeviceMemory take_device_memory(std::size_t bytes);
std::size_t free_device_memory();

// Bytes between host and device, and zeros, in order after all that was queued (by this thread, in a queue of its own);
// each returns when it is done.
void copy_to_device(void* device, const void* host, std::size_t bytes);
void copy_to_host(void* host, const void* device, std::size_t bytes);
void clear_device_memory(void* device, std::size_t bytes);
void wait_for_device();

}  // namespace fdtd::cuda
