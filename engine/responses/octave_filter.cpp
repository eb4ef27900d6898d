#include "engine/responses/octave_filter.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/math/fourier.hpp"

namespace fdtd {

double exact_midband(double nominal) {
  const double step = std::round(10.0 * std::log10(nominal / 1000.0) / 3.0);
  return 1000.0 * std::pow(10.0, 0.3 * step);
}

const std::vector<double>& nominal_octaves() {
  static const std::vector<double> all = {31.5, 63, 125, 250, 500, 1000, 2000, 4000, 8000, 16000};
  return all;
}

double octave_magnitude(double midband, double frequency) {
  if (!(frequency > 0.0)) return 0.0;
  const double detuning = frequency / midband - midband / frequency, squared = 2.0 * detuning * detuning;
  return 1.0 / std::sqrt(1.0 + squared * squared * squared);
}

// The slowest pole of the band-pass: a root of s^2 - p (w_m / Q) s + w_m^2 = 0 for the prototype's pole p = exp(2 pi i
// / 3), Q = sqrt 2, has the real part -0.12433 w_m. Energy falls by e^2 in one over that: 60 dB in ln(10^3) of them.
double octave_ringing(double midband) { return std::log(1e3) / (0.12433 * 2.0 * std::numbers::pi * midband); }

namespace {

// An octave is computed at the lowest rate that is the signal's over a power of two and at least so many times the
// midband frequency. Half of it is where the filter has lost 68 dB.
constexpr double min_oversampling = 32.0;
// Before the rate is lowered, a low-pass falls from 1 to 0 between these multiples of the midband frequency, where the
// filter loses 58 to 68 dB.
constexpr double pass_end = 11.0, stop_begin = 15.5;

// From 1 to 0, smooth to all orders, so that the low-pass rings for a few periods of its width only.
double low_pass(double midband, double frequency) {
  const double x = (frequency / midband - pass_end) / (stop_begin - pass_end);
  if (x <= 0.0) return 1.0;
  if (x >= 1.0) return 0.0;
  return 1.0 / (1.0 + std::exp(1.0 / (1.0 - x) - 1.0 / x));
}

// Seconds in which the low-pass of the slowest octave falls below 1e-12.
double low_pass_ringing(double midband) { return 40.0 / ((stop_begin - pass_end) * midband); }

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

int octave_decimation(double rate, double midband) {
  int factor = 1;
  while (factor < max_octave_decimation && rate / (2 * factor) >= min_oversampling * midband) factor *= 2;
  return factor;
}

// Three times 60 dB: the rest is below double precision.
std::size_t octave_lead(double rate, double midband) {
  return static_cast<std::size_t>(std::ceil(3.0 * octave_ringing(midband) * rate / octave_decimation(rate, midband)));
}

// Near zero frequency the filter is |f / f_m|^3 / 2^1.5, which is not smooth: t seconds from an arrival it gives 0.0027
// (f_m t)^-4 of its largest value, and exponential ringing is below that from 20 periods on. 72 periods: 1e-10.
double octave_reach(double midband, double rate) {
  return 72.0 / midband + (octave_decimation(rate, midband) > 1 ? 2.0 * low_pass_ringing(midband) : 0.0);
}

OctaveBands::OctaveBands(std::span<const double> signal, double rate, double lowest) : rate_(rate), signal_(signal) {
  const std::int64_t after = octave_decimation(rate, lowest) > 1
                                 ? static_cast<std::int64_t>(std::ceil(2.0 * low_pass_ringing(lowest) * rate))
                                 : 0;
  length_ = max_octave_decimation *
            smooth_length(ceil_div(static_cast<std::int64_t>(signal.size()) + after, max_octave_decimation));
  spectrum_ = real_fft(signal, length_);
}

// Sample i is the signal's sample `factor` i + shift, low-passed; on a circle, which holds what rings before the signal
// at its end.
std::vector<double> OctaveBands::decimated(double midband, int factor, std::size_t shift) const {
  const double bin = rate_ / static_cast<double>(length_);
  const std::int64_t length = length_ / factor;
  std::vector<std::complex<double>> low(static_cast<std::size_t>(length / 2 + 1));
  for (std::size_t k = 0; k < low.size(); ++k) {
    const double pass = low_pass(midband, static_cast<double>(k) * bin);
    if (pass == 0.0) break;
    const auto turns =
        static_cast<double>(k * shift % static_cast<std::size_t>(length_)) / static_cast<double>(length_);
    low[k] = pass / factor * spectrum_[k] * std::polar(1.0, 2.0 * std::numbers::pi * turns);
  }
  return inverse_real_fft(low, length);
}

OctaveSignal OctaveBands::octave(double midband, std::size_t aligned) const {
  OctaveSignal octave;
  octave.decimation = octave_decimation(rate_, midband);
  octave.rate = rate_ / octave.decimation;
  const auto factor = static_cast<std::size_t>(octave.decimation);
  const std::size_t lead = octave_lead(rate_, midband);
  const std::size_t shift = aligned % factor, samples = (signal_.size() - shift + factor - 1) / factor;
  octave.aligned = lead + aligned / factor;
  octave.end = lead + samples;
  const std::int64_t length = smooth_length(static_cast<std::int64_t>(samples + 2 * lead));
  std::vector<double> padded(static_cast<std::size_t>(length), 0.0);
  if (factor == 1) {
    std::copy(signal_.begin(), signal_.end(), padded.begin() + static_cast<std::ptrdiff_t>(lead));
  } else {
    const std::vector<double> circle = decimated(midband, octave.decimation, shift);
    const std::size_t ahead = std::min(lead, (circle.size() - samples) / 2), after = circle.size() - samples - ahead;
    const auto from = padded.begin() + static_cast<std::ptrdiff_t>(lead);
    std::copy(circle.begin(), circle.begin() + static_cast<std::ptrdiff_t>(samples + std::min(lead, after)), from);
    std::copy(circle.end() - static_cast<std::ptrdiff_t>(ahead), circle.end(),
              from - static_cast<std::ptrdiff_t>(ahead));
  }
  auto spectrum = real_fft(padded, length);
  const double bin = octave.rate / static_cast<double>(length), to_energy = std::sqrt(static_cast<double>(factor));
  double energy = 0.0;
  for (std::size_t k = 0; k < spectrum.size(); ++k) {
    const double frequency = static_cast<double>(k) * bin, magnitude = octave_magnitude(midband, frequency);
    const double pass = factor == 1 ? 1.0 : low_pass(midband, frequency);
    spectrum[k] *= to_energy * magnitude;
    const double bins = 2 * k == static_cast<std::size_t>(length) ? 1.0 : 2.0;  // a bin also counts for its mirror
    energy += bins * magnitude * magnitude * pass * pass;
  }
  octave.flat_energy = energy / static_cast<double>(length) / octave.decimation;
  octave.samples = inverse_real_fft(spectrum, length);
  octave.samples.resize(samples + 2 * lead);
  return octave;
}

double OctaveBands::density(double low, double high) const {
  const double bin = rate_ / static_cast<double>(length_);
  const auto first = static_cast<std::size_t>(std::max(0.0, std::ceil(low / bin)));
  double sum = 0.0;
  std::size_t count = 0;
  for (std::size_t k = first; k < spectrum_.size() && static_cast<double>(k) * bin <= high; ++k, ++count)
    sum += std::norm(spectrum_[k]);
  return count > 0 ? sum / static_cast<double>(count) : 0.0;
}

}  // namespace fdtd
