#include "engine/responses/octave_filter.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/math/fourier.hpp"

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
  const double detuning = std::numbers::sqrt2 * (frequency / midband - midband / frequency);
  return 1.0 / std::sqrt(1.0 + std::pow(detuning, 6.0));
}

// The slowest pole of the band-pass: a root of s^2 - p (w_m / Q) s + w_m^2 = 0 for the prototype's pole p = exp(2 pi i
// / 3), Q = sqrt 2, has the real part -0.12433 w_m. Energy falls by e^2 in one over that: 60 dB in ln(10^3) of them.
double octave_ringing(double midband) { return std::log(1e3) / (0.12433 * 2.0 * std::numbers::pi * midband); }

OctaveBands::OctaveBands(std::span<const double> signal, double rate, double lowest_midband)
    : rate_(rate), samples_(static_cast<std::int64_t>(signal.size())) {
  // Three times 60 dB: the rest is below double precision.
  lead_ = static_cast<std::int64_t>(std::ceil(3.0 * octave_ringing(lowest_midband) * rate));
  length_ = smooth_length(samples_ + 2 * lead_);
  std::vector<double> padded(static_cast<std::size_t>(lead_), 0.0);
  padded.insert(padded.end(), signal.begin(), signal.end());
  spectrum_ = real_fft(padded, length_);
}

std::vector<double> OctaveBands::band(double midband) const {
  auto filtered = spectrum_;
  const double bin = rate_ / static_cast<double>(length_);
  for (std::size_t k = 0; k < filtered.size(); ++k)
    filtered[k] *= octave_magnitude(midband, static_cast<double>(k) * bin);
  auto signal = inverse_real_fft(filtered, length_);
  signal.resize(static_cast<std::size_t>(samples_ + 2 * lead_));
  return signal;
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

double OctaveBands::flat_energy(double midband) const {
  const double bin = rate_ / static_cast<double>(length_);
  double sum = 0.0;
  for (std::int64_t k = 1; k <= length_ / 2; ++k) {
    const double share = 2 * k == length_ ? 1.0 : 2.0;  // a bin also counts for its mirror image
    const double magnitude = octave_magnitude(midband, static_cast<double>(k) * bin);
    sum += share * magnitude * magnitude;
  }
  return sum / static_cast<double>(length_);
}

}  // namespace fdtd
