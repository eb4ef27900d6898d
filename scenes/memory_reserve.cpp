#include "scenes/memory_reserve.hpp"

#include <atomic>

namespace fdtd {
namespace {

std::atomic<void*> reserve{nullptr};

// What operator new calls when there is no memory, until it throws.
void hand_out() {
  void* const memory = reserve.exchange(nullptr);
  if (memory == nullptr) throw std::bad_alloc();
  ::operator delete(memory);
}

}  // namespace

MemoryReserve::MemoryReserve(std::size_t bytes) : before_(std::get_new_handler()) {
  reserve = ::operator new(bytes);
  std::set_new_handler(hand_out);
}

MemoryReserve::~MemoryReserve() {
  std::set_new_handler(before_);
  ::operator delete(reserve.exchange(nullptr));
}

bool MemoryReserve::touched() const { return reserve == nullptr; }

}  // namespace fdtd
