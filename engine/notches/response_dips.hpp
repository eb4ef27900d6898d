// Dips of a response's level.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace fdtd {

struct ResponseDip {
  double frequency = 0.0;  // Hz
  double level = 0.0;      // dB, re the mean power of the octave around it
};

// Levels are those of power averaged over a twelfth of an octave, at 96 frequencies an octave. The static pressure of a
// closed room, which a response without a low cut holds, does not count.
class ResponseLevels {
 public:
  // An impulse response at `rate` (Hz), of which the first `longest` seconds count; levels from `from` to `to` (Hz) are of
  // use.
  ResponseLevels(std::span<const double> response, double rate, double from, double to);

  static constexpr double longest = 60.0;      // s: rooms have decayed, and a long recording takes no more memory
  static constexpr double reach = 1.0 / 12.0;  // octaves, on both sides of a frequency, where its dip lies
  static constexpr double least = 3.0;         // dB below the octave around it: a dip

  // The deepest local minimum within `reach` that is `least` below the mean power of the octave around it.
  std::optional<ResponseDip> dip_near(double frequency) const;

 private:
  double mean_power(double low, double high) const;

  std::vector<double> sums_;  // of power over lines, from line 0
  double width_ = 0.0;        // Hz, between lines
};

}  // namespace fdtd
