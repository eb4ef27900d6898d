// Recording -> impulse responses: undo the drive, band-limit, low-cut, resample.
#pragma once

#include <string>
#include <vector>

#include "engine/recording.hpp"

namespace fdtd {

struct RenderOptions {
  double output_rate = 48000.0;   // Hz
  double low_cut = 20.0;          // Hz, 0: none
  double bandwidth = 0.0;         // Hz: linear-phase low-pass, flat up to here; 0: none
  double duration = 0.0;          // s of output; 0: all that was recorded
  bool remove_time_dispersion = false;
  // Gain of a two-step scheme to equalise, sampled at equal steps of omega T from 0 to pi; empty: none. See source_gain.
  std::vector<double> gain;
};

struct Rendered {
  double sample_rate = 0.0;
  std::int64_t samples = 0;
  // ir[(s * receivers + r) * samples + j]: a digital filter; samples of one arrival over r metres sum to 1/r.
  std::vector<double> ir;
  std::vector<std::string> remarks;  // "the record has not decayed: ..."
};

Rendered render(const Recording& recording, const RenderOptions& options);

// Convolution with a signal at the same rate, cut to `samples` values (a recording of `signal` played by the source).
std::vector<double> convolve(const std::vector<double>& ir, const std::vector<double>& signal, std::int64_t samples);
// soxr at its best quality, linear phase, sample 0 stays sample 0.
std::vector<double> resample(const std::vector<double>& signal, double from_rate, double to_rate);

}  // namespace fdtd
