// Large arrays on cache lines and huge pages.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace fdtd::cpu {

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

// Bytes that allocate_memory() takes for so many.
std::size_t allocated_bytes(std::size_t bytes);
// Memory whose pages are untouched: the thread that computes a tile writes it first, so that its pages lie in that
// thread's NUMA node. Throws Error (status resource) when there is not enough.
std::unique_ptr<void, Free> allocate_memory(std::size_t bytes);

}  // namespace fdtd::cpu
