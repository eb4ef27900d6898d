// A signal that is longer than memory should hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fdtd {

class SampleStream {
 public:
  virtual ~SampleStream() = default;
  virtual std::uint64_t samples() const = 0;
  // The next read() begins with sample 0.
  virtual void restart() = 0;
  // The next samples; returns how many, fewer than to.size() at the end alone.
  virtual std::size_t read(std::span<double> to) = 0;
};

}  // namespace fdtd
