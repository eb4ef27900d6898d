#include "engine/small_rooms/level_bands.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/math/fourier.hpp"
#include "engine/transducers/source_gain.hpp"

namespace fdtd {
namespace {

// The last tenth falls to zero as half a Hann window: the grid's waves near half the rate, which walls hardly absorb, ring
// on, and an abrupt end would spread them over all frequencies, where the drive's slope raises them.
std::vector<double> faded(std::span<const double> record) {
  std::vector<double> values(record.begin(), record.end());
  const std::size_t count = values.size() / 10;
  for (std::size_t i = 0; i < count; ++i)
    values[values.size() - 1 - i] *=
        0.5 - 0.5 * std::cos(std::numbers::pi * (static_cast<double>(i) + 0.5) / static_cast<double>(count));
  return values;
}

}  // namespace

std::vector<double> level_centres(double from, double to) {
  std::vector<double> centres;
  for (int k = 0; from * std::exp2(k / 24.0) <= to * (1.0 + 1e-9); ++k) centres.push_back(from * std::exp2(k / 24.0));
  return centres;
}

std::vector<double> record_levels(std::span<const double> record, double rate, const FrequencyMap& map,
                                  const std::vector<double>& centres, const std::vector<double>& gain) {
  constexpr double pi = std::numbers::pi;
  // Four times as long: many lines in the narrowest band.
  const std::int64_t length = smooth_length(4 * static_cast<std::int64_t>(record.size()));
  const auto spectrum = real_fft(faded(record), length);
  const double half = std::exp2(1.0 / 12.0);
  std::vector<double> sums(centres.size(), 0.0), lines(centres.size(), 0.0);
  for (std::size_t k = 1; k + 1 < spectrum.size(); ++k) {
    const double w = 2.0 * pi * static_cast<double>(k) / static_cast<double>(length);
    const double hertz = (map.undoes() ? map.truth(w) : w) * rate / (2.0 * pi);
    if (hertz > centres.back() * half) break;
    const double power = std::norm(spectrum[k]) / std::norm(2.0 * std::sin(w / 2.0) * gain_at(gain, w));
    const auto first = std::ranges::lower_bound(centres, hertz / half),
               last = std::ranges::upper_bound(centres, hertz * half);
    for (auto centre = first; centre < last; ++centre) {
      sums[static_cast<std::size_t>(centre - centres.begin())] += power;
      lines[static_cast<std::size_t>(centre - centres.begin())] += 1.0;
    }
  }
  std::vector<double> levels;
  for (std::size_t i = 0; i < sums.size(); ++i)
    levels.push_back(10.0 * std::log10(std::max(sums[i] / std::max(lines[i], 1.0), 1e-30)));
  return levels;
}

}  // namespace fdtd
