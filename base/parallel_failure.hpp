// Carries an exception out of a parallel region of OpenMP, which it must not leave itself: keeps the first one and
// throws it again after the region.
#pragma once

#include <exception>
#include <mutex>

namespace fdtd {

class ParallelFailure {
 public:
  // In any thread: calls work() and keeps the first exception.
  template <class Work>
  void guard(const Work& work) noexcept {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!first_) first_ = std::current_exception();
    }
  }
  // After the region: throws the exception, if there is one.
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr first_;
};

}  // namespace fdtd
