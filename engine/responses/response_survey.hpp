// The properties of a response that its bands depend on: its onset, whether it ends in static pressure or an
// offset, its bandwidth.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace fdtd {

// The first sample i of `ir`, from <= i < to, whose square is within 20 dB of `largest` and that is not the ringing of
// a band limit ahead of a later arrival; for that `ir` goes on for arrival_reach() samples after `to`, or to its end.
// `bandwidth`: Hz, 0: not known. `noise`: mean square of the response's end; where its peaks come within 20 dB of
// `largest`, the sample has to rise above them, and the sound after it above the noise: ISO 3382-1, 5.3.2. 0: none.
std::optional<std::size_t> first_arrival(std::span<const double> ir, std::size_t from, std::size_t to, double largest,
                                         double rate, double bandwidth, double noise = 0.0);
std::size_t arrival_reach(double rate, double bandwidth);
// The first of `samples` samples at which sound can arrive, `seconds` after sample 0.
std::uint64_t sample_after(double seconds, double rate, std::uint64_t samples);

// In what a response of `samples` samples ends: zero, or a pressure that does not oscillate.
class StaticEnd {
 public:
  explicit StaticEnd(std::uint64_t samples) : samples_(samples), tenth_(samples / 10) {}
  void add(double x, std::uint64_t sample);  // every one, in order
  // A constant that is there before the sound as well, as the offset of a recording; 0: none.
  double offset() const;
  // A pressure that neither oscillates nor decays: a closed room's static pressure without a low-cut, a ramp or a
  // constant.
  bool found() const;
  // Mean square of the last tenth.
  double end_power() const { return tenth_ > 0 ? squares_[1] / static_cast<double>(tenth_) : 0.0; }

 private:
  static constexpr std::size_t ahead_block = 32, ahead_blocks = std::size_t{1} << 15;
  double mean_ahead() const;  // of the sound; NaN where it begins at once
  std::uint64_t samples_ = 0, tenth_ = 0;
  double largest_ = 0.0;
  std::array<double, 2> sums_{}, squares_{};  // of the last but one and the last tenth
  std::array<double, 8> eighths_{};           // sums, of the last tenth
  std::array<double, 8> counts_{};
  std::vector<std::array<double, 2>> ahead_;  // sums and largest magnitudes of the first blocks
};

// The upper edge of the highest third octave that is less than 40 dB below the strongest one. `density`: mean power
// density between two frequencies.
double find_bandwidth(const std::function<double(double low, double high)>& density, double rate);

}  // namespace fdtd
