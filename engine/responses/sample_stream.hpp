// A signal that is longer than memory should hold.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

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

// Throws std::runtime_error where the signal ends before.
inline void read_fully(SampleStream& signal, std::span<double> to) {
  while (!to.empty()) {
    const std::size_t got = signal.read(to);
    if (got == 0) throw std::runtime_error("the signal ends before its length");
    to = to.subspan(got);
  }
}

// One that memory holds.
class SamplesInMemory : public SampleStream {
 public:
  explicit SamplesInMemory(std::vector<double> samples) : held_(std::move(samples)) {}
  std::uint64_t samples() const override { return held_.size(); }
  void restart() override { next_ = 0; }
  std::size_t read(std::span<double> to) override {
    const std::size_t count = std::min(to.size(), held_.size() - next_);
    std::copy_n(held_.begin() + static_cast<std::ptrdiff_t>(next_), count, to.begin());
    next_ += count;
    return count;
  }

 private:
  std::vector<double> held_;
  std::size_t next_ = 0;
};

}  // namespace fdtd
