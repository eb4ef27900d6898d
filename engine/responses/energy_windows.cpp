#include "engine/responses/energy_windows.hpp"

#include <algorithm>
#include <cmath>

#include "base/math/fourier.hpp"
#include "engine/responses/octave_filter.hpp"

namespace fdtd {

SignalPart::SignalPart(std::span<const double> signal, double signal_rate, std::int64_t begin, std::int64_t end,
                       std::int64_t origin, std::int64_t transform)
    : rate(signal_rate), length(transform) {
  const auto held = static_cast<std::int64_t>(signal.size());
  const std::int64_t first = std::clamp<std::int64_t>(begin, 0, held), last = std::clamp(end, first, held);
  std::vector<double> samples(static_cast<std::size_t>(length), 0.0);
  std::copy(signal.begin() + first, signal.begin() + last, samples.begin() + (first - origin));
  spectrum = real_fft(samples, length);
}

std::int64_t filter_reach(double rate) {
  constexpr double periods = 20.0, lowest = 125.0;  // as octave_reach() has it: 0.0027 / 20^4
  return static_cast<std::int64_t>(std::ceil(periods / lowest * rate));
}

double filtered_product(const SignalPart& a, const SignalPart& b, double midband) {
  const double bin = a.rate / static_cast<double>(a.length);
  double sum = 0.0;
  for (std::size_t k = 0; k < a.spectrum.size(); ++k) {
    const double magnitude = midband > 0.0 ? octave_magnitude(midband, static_cast<double>(k) * bin) : 1.0;
    const double bins = k == 0 || 2 * static_cast<std::int64_t>(k) == a.length ? 1.0 : 2.0;  // and the mirrored one
    sum += bins * magnitude * magnitude * std::real(std::conj(a.spectrum[k]) * b.spectrum[k]);
  }
  return sum / static_cast<double>(a.length);
}

}  // namespace fdtd
