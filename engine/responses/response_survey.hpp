// What has to be known of a response before its bands are measured: its onset, whether it ends in static pressure, its
// bandwidth.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

namespace fdtd {

// The first sample i of `ir`, from <= i < to, whose square is within 20 dB of `largest` and that is not the ringing of
// a band limit ahead of a later arrival; for that `ir` goes on for arrival_reach() samples after `to`, or to its end.
// `bandwidth`: Hz, 0: not known.
std::optional<std::size_t> first_arrival(std::span<const double> ir, std::size_t from, std::size_t to, double largest,
                                         double rate, double bandwidth);
std::size_t arrival_reach(double rate, double bandwidth);
// The first of `samples` samples at which sound can arrive, `seconds` after sample 0.
std::uint64_t sample_after(double seconds, double rate, std::uint64_t samples);

// Whether a response of `samples` samples ends in a pressure that neither oscillates nor decays: a closed room's static
// pressure without a low-cut, a ramp or a constant, or the offset of a recording.
class StaticEnd {
 public:
  explicit StaticEnd(std::uint64_t samples) : samples_(samples), tenth_(samples / 10) {}
  void add(double x, std::uint64_t sample);  // every one
  bool found() const;

 private:
  std::uint64_t samples_ = 0, tenth_ = 0;
  double largest_ = 0.0;
  std::array<double, 2> sums_{}, squares_{};  // of the last but one and the last tenth
};

// The upper edge of the highest third octave that is less than 40 dB below the strongest one. `density`: mean power
// density between two frequencies.
double find_bandwidth(const std::function<double(double low, double high)>& density, double rate);

}  // namespace fdtd
