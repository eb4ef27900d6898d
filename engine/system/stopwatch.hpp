// Seconds that pass.
#pragma once

#include <algorithm>
#include <chrono>

namespace fdtd {

// By a clock that nobody sets. Never negative: the clock of a virtual machine may go backward all the same.
class Stopwatch {
 public:
  double seconds() const { return std::max(0.0, std::chrono::duration<double>(Clock::now() - start_).count()); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace fdtd
