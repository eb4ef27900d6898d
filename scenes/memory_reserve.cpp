#include "scenes/memory_reserve.hpp"

#include <atomic>

namespace fdtd {
namespace {

std::atomic<void*> reserve{nullptr};

// The new-handler: operator new calls it when there is no memory, until it throws.
void release_reserve() {
  void* const memory = reserve.exchange(nullptr);
  if (memory == nullptr) throw std::bad_alloc();
  ::operator delete(memory);
}

}  // namespace

MemoryReserve::MemoryReserve(std::size_t bytes) : before_(std::get_new_handler()) {
  reserve = ::operator new(bytes);
  std::set_new_handler(release_reserve);
}

MemoryReserve::~MemoryReserve() {
  std::set_new_handler(before_);
  ::operator delete(reserve.exchange(nullptr));
}

bool MemoryReserve::touched() const { return reserve == nullptr; }

}  // namespace fdtd
