#include "engine/responses/direct_level.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <vector>

#include "base/math/fourier.hpp"
#include "engine/plan/record_tail.hpp"
#include "engine/responses/octave_filter.hpp"
#include "stencils/known_dispersion.hpp"

namespace fdtd {

LowPass low_pass_of(const Plan& plan, double bandwidth) {
  const double branch =
      known_second_branch(plan.stencil, plan.frequency_map) / (2.0 * std::numbers::pi * plan.grid.time_step);
  return {bandwidth, low_pass_stop(bandwidth, std::isfinite(branch) ? branch : 0.0)};
}

DirectError direct_error(double distance, const NearField& left, const LowPass& low_pass, const Grid& grid,
                         double rate) {
  // Both sides of the pulse, and a spectrum fine enough for the lowest octave.
  const double seconds = 4.0 * std::max(low_pass.reach(), 8.0 / low_pass.pass);
  std::int64_t length = 1 << 10;
  while (static_cast<double>(length) < seconds * rate) length *= 2;
  const double bin = rate / static_cast<double>(length);  // Hz
  std::vector<std::complex<double>> spectrum(static_cast<std::size_t>(length / 2 + 1), 0.0);
  for (std::size_t k = 0; k < spectrum.size(); ++k) {
    const double hertz = bin * static_cast<double>(k), turn = 2.0 * std::numbers::pi * hertz;
    if (hertz >= low_pass.stop) break;
    const double chord = 2.0 * std::sin(0.5 * turn * grid.time_step);
    spectrum[k] = low_pass.response(hertz) *
                  (std::polar(1.0 / distance, -turn * distance / grid.sound_speed) + left[0] + left[1] * chord * chord);
  }
  std::vector<double> pulse = inverse_real_fft(spectrum, length);
  std::fill(pulse.begin() + length / 2, pulse.end(), 0.0);  // ahead of the emission
  spectrum = real_fft(pulse, length);
  const auto level = [&](const auto& weight) {
    double sum = 0.0, wanted = 0.0;
    for (std::size_t k = 1; k < spectrum.size(); ++k) {
      const double hertz = bin * static_cast<double>(k), w = weight(hertz);
      sum += w * std::norm(spectrum[k]);
      wanted += w * std::pow(low_pass.response(hertz) / distance, 2);
    }
    return 10.0 * std::log10(sum / wanted);
  };
  DirectError error{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  const auto take = [&](double decibels) {
    error.lowest = std::min(error.lowest, decibels);
    error.highest = std::max(error.highest, decibels);
  };
  for (const double nominal : nominal_octaves()) {
    const double midband = exact_midband(nominal);
    if (midband * std::numbers::sqrt2 > 1.01 * low_pass.pass) break;
    take(level([&](double hertz) { return std::pow(octave_magnitude(midband, hertz), 2); }));
  }
  error.within = distance < direct_near_cells * grid.mean_spacing() ? 1.5 : 0.5;
  if (error.lowest > error.highest) take(level([](double) { return 1.0; }));
  return error;
}

}  // namespace fdtd
