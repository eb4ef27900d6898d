// Records of receivers in a box before its first echo.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <vector>

#include "engine/responses/render.hpp"
#include "engine/run/recording.hpp"

namespace fdtd::test {

// Free field: the record is faded out from `reach` metres of travel on at that speed (m/s), where echoes begin; silence in
// which the integrations of derivatives decay follows.
inline void fade(Recording& recording, double speed, double reach) {
  const double per_sample = speed / recording.sample_rate;
  const auto samples = static_cast<std::size_t>(recording.samples);
  for (std::size_t begin = 0; begin < recording.pressure.size(); begin += samples) {
    double response = 0.0, before = 0.0;
    for (std::size_t n = 0; n < samples; ++n) {
      double& value = recording.pressure[begin + n];
      response += value;
      const double fraction =
          std::clamp((static_cast<double>(n) * per_sample - 0.68 * reach) / (0.32 * reach), 0.0, 1.0);
      const double faded = response * (0.5 + 0.5 * std::cos(std::numbers::pi * fraction));
      value = faded - before;
      before = faded;
    }
  }
  std::vector<double> longer;
  const auto pause = static_cast<std::size_t>(0.08 * recording.sample_rate);
  for (std::size_t begin = 0; begin < recording.pressure.size(); begin += samples) {
    longer.insert(longer.end(), recording.pressure.begin() + static_cast<std::ptrdiff_t>(begin),
                  recording.pressure.begin() + static_cast<std::ptrdiff_t>(begin + samples));
    longer.insert(longer.end(), pause, 0.0);
  }
  recording.pressure = longer;
  recording.samples += static_cast<std::int64_t>(pause);
}

// The spectrum of a response at a frequency, Hz.
inline std::complex<double> spectrum_of(const Rendered& rendered, std::size_t channel, double frequency) {
  const auto samples = static_cast<std::size_t>(rendered.samples);
  std::complex<double> sum = 0.0;
  for (std::size_t n = 0; n < samples; ++n)
    sum += rendered.ir[channel * samples + n] *
           std::polar(1.0, -2.0 * std::numbers::pi * frequency * static_cast<double>(n) / rendered.sample_rate);
  return sum;
}

}  // namespace fdtd::test
