#include "engine/notches/response_dips.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/math/fourier.hpp"

namespace fdtd {
namespace {

constexpr double band = 1.0 / 12.0, an_octave = 96.0;
constexpr double lines_a_band = 8.0;  // in the narrowest band

}  // namespace

ResponseLevels::ResponseLevels(std::span<const double> response, double rate, double from, double to) {
  response = response.first(std::min(response.size(), static_cast<std::size_t>(longest * rate)));
  const double narrowest = from * (std::exp2(band / 2.0) - std::exp2(-band / 2.0));
  const std::int64_t length =
      smooth_length(std::max(static_cast<std::int64_t>(response.size()),
                             static_cast<std::int64_t>(std::ceil(lines_a_band * rate / narrowest))));
  width_ = rate / static_cast<double>(length);
  sums_ = {0.0};
  for (const auto& value : real_fft(std::vector<double>(response.begin(), response.end()), length)) {
    sums_.push_back(sums_.back() + std::norm(value));
    if (static_cast<double>(sums_.size()) * width_ > 2.0 * to) break;
  }
}

double ResponseLevels::mean_power(double low, double high) const {
  const double most = static_cast<double>(sums_.size()) - 1.0;
  const auto first = static_cast<std::size_t>(std::clamp(std::ceil(low / width_), 0.0, most)),
             last = static_cast<std::size_t>(std::clamp(std::floor(high / width_) + 1.0, 0.0, most));
  return last > first ? (sums_[last] - sums_[first]) / static_cast<double>(last - first) : 0.0;
}

std::optional<ResponseDip> ResponseLevels::dip_near(double frequency) const {
  const int count = static_cast<int>(std::lround(reach * an_octave));
  std::optional<ResponseDip> deepest;
  const auto at = [&](int k) { return frequency * std::exp2(k / an_octave); };
  const auto power = [&](int k) { return mean_power(at(k) * std::exp2(-band / 2.0), at(k) * std::exp2(band / 2.0)); };
  double lowest = std::numeric_limits<double>::infinity();
  for (int k = -count; k <= count; ++k) {
    const double here = power(k);
    if (!(here > 0.0) || !(here < power(k - 1)) || here > power(k + 1) || here >= lowest) continue;
    const double around = mean_power(at(k) / std::sqrt(2.0), at(k) * std::sqrt(2.0));
    const double level = 10.0 * std::log10(here / around);
    if (level > -least) continue;
    lowest = here;
    deepest = {at(k), level};
  }
  return deepest;
}

}  // namespace fdtd
