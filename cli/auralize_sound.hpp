// The sound that `fdtd auralize` writes, block by block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace fdtd::cli {

class AuralizeSound {
 public:
  using Samples = std::vector<std::vector<double>>;
  using Hear = std::function<void(Samples&)>;
  virtual ~AuralizeSound() = default;
  virtual std::size_t channels() const = 0;
  virtual std::uint64_t frames() const = 0;
  // Calls `hear` with samples of all channels, in order; every time from the beginning. Throws Error (interrupted).
  virtual void play(const Hear& hear) = 0;
};

}  // namespace fdtd::cli
