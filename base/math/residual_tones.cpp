#include "base/math/residual_tones.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>

#include "base/math/fourier.hpp"

namespace fdtd {
namespace {

constexpr double pi = std::numbers::pi;
constexpr std::size_t min_samples = 1024;
constexpr std::size_t max_tones = 8;
constexpr double standing_out = 31.6;  // 15 dB in power
constexpr std::size_t lobe = 8;        // bins of a line's main lobe, at two bins a sample of the spectrum

// The power spectrum of a part of the record under a window, scaled so that a sine of amplitude a has a^2.
std::vector<double> powers(std::span<const double> part, const std::vector<double>& window, std::int64_t length) {
  std::vector<double> windowed(part.begin(), part.end()), result;
  double sum = 0.0;
  for (std::size_t i = 0; i < windowed.size(); ++i) {
    windowed[i] *= window[i];
    sum += window[i];
  }
  for (const auto& bin : real_fft(windowed, length)) result.push_back(4.0 / (sum * sum) * std::norm(bin));
  return result;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// The median around bin k, without its own lobe.
double around(const std::vector<double>& power, std::size_t k) {
  const std::size_t width = std::max<std::size_t>(64, k / 20);
  std::vector<double> neighbours;
  for (std::size_t j = k > width ? k - width : 0; j < std::min(power.size(), k + width + 1); ++j)
    if (j + lobe < k || j > k + lobe) neighbours.push_back(power[j]);
  return neighbours.empty() ? power[k] : median(std::move(neighbours));
}

}  // namespace

std::vector<RecordTone> residual_tones(std::span<const double> record, double lowest) {
  std::vector<RecordTone> tones;
  if (record.size() < min_samples || !(lowest > 0.0 && lowest < pi)) return tones;
  const std::size_t quarter = record.size() / 4;
  const std::int64_t length = smooth_length(static_cast<std::int64_t>(2 * quarter));
  // The response begins with the record, so the first window begins at its full height.
  std::vector<double> falling, both;
  for (std::size_t i = 0; i < quarter; ++i) {
    const double angle = pi * (static_cast<double>(i) + 0.5) / static_cast<double>(quarter);
    falling.push_back(0.5 + 0.5 * std::cos(angle));
    both.push_back(0.5 - 0.5 * std::cos(2.0 * angle));
  }
  const auto early = powers(record.first(quarter), falling, length), late = powers(record.last(quarter), both, length);
  const double per_bin = 2.0 * pi / static_cast<double>(length);
  const auto edge = static_cast<std::size_t>(std::ceil(lowest / per_bin));
  // How much is left of the band below the edge: the median of its parts, of which one may hold a tone of its own.
  constexpr std::size_t parts = 8;
  std::vector<double> left;
  for (std::size_t part = 0; part < parts; ++part) {
    double before = 0.0, after = 0.0;
    const auto at = [&](std::size_t p) { return std::min(late.size(), edge / 2 + (edge - edge / 2) * p / parts); };
    for (std::size_t k = at(part); k < at(part + 1); ++k) {
      before += early[k];
      after += late[k];
    }
    if (before > 0.0) left.push_back(after / before);
  }
  if (left.empty()) return tones;
  const double neighbours_decay = median(std::move(left));
  for (std::size_t k = std::max<std::size_t>(edge, lobe); k + lobe < late.size(); ++k) {
    const auto first = late.begin() + static_cast<std::ptrdiff_t>(k - lobe / 2);
    if (!(late[k] > 0.0) || *std::max_element(first, first + lobe + 1) > late[k]) continue;
    if (late[k] < standing_out * neighbours_decay * early[k] || late[k] < standing_out * around(late, k)) continue;
    tones.push_back({per_bin * static_cast<double>(k), std::sqrt(late[k])});
  }
  std::stable_sort(tones.begin(), tones.end(),
                   [](const RecordTone& a, const RecordTone& b) { return a.amplitude > b.amplitude; });
  if (tones.size() > max_tones) tones.resize(max_tones);
  return tones;
}

}  // namespace fdtd
