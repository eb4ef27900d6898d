// An exception must not leave a parallel region of OpenMP, which would end the program: it is kept, and thrown again
// behind it.
#pragma once

#include <exception>
#include <mutex>

namespace fdtd {

class ParallelFailure {
 public:
  // In any thread: calls work(); of what is thrown the first is kept.
  template <class Work>
  void guard(const Work& work) noexcept {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!first_) first_ = std::current_exception();
    }
  }
  // Behind the region.
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr first_;
};

}  // namespace fdtd
