// A signal at another rate, in blocks: libsoxr's best filters, without delay.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace fdtd {

// Samples that a signal of `samples` has at another rate: it lasts as long. Throws Error (scene) for rates not above 0.
std::uint64_t resampled_length(std::uint64_t samples, double from_rate, double to_rate);

// The output does not depend on the lengths of the blocks. Only resampler.cpp includes libsoxr.
class Resampler {
 public:
  Resampler(double from_rate, double to_rate);
  ~Resampler();
  Resampler(Resampler&&) noexcept;
  // Appends what the next samples let it know.
  void put(std::span<const double> signal, std::vector<double>& out);
  // Appends the rest, after the last sample.
  void end(std::vector<double>& out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fdtd
