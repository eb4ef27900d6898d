#include "engine/notches/response_dips.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <numeric>

#include "base/math/fourier.hpp"
#include "engine/responses/render_filter.hpp"

namespace fdtd {
namespace {

constexpr double band = 1.0 / 12.0, an_octave = 96.0;
constexpr double lines_a_band = 8.0;  // in the narrowest band

// Removes the static pressure of a closed room, which an end of the record would spread over all frequencies. The last
// tenth then falls to zero as half a Hann window: near its end a rendered response lacks part of its low-pass filter, and
// static pressure falls there.
class WithoutStatic {
 public:
  WithoutStatic(double cut, double rate) : cut_(cut), rate_(rate) {}

  std::vector<double> operator()(std::span<const double> response) const {
    std::vector<double> values(response.size());
    std::adjacent_difference(response.begin(), response.end(), values.begin());
    integrate_and_cut(values, cut_, rate_);
    const std::size_t faded = values.size() / 10;
    for (std::size_t i = 0; i < faded; ++i)
      values[values.size() - 1 - i] *=
          0.5 - 0.5 * std::cos(std::numbers::pi * (static_cast<double>(i) + 0.5) / static_cast<double>(faded));
    return values;
  }
  // Of the power at a frequency: the magnitude of that Butterworth filter of order 4.
  double gain(double hertz) const {
    const auto warped = [this](double f) { return std::tan(std::numbers::pi * f / rate_); };
    return 1.0 / (1.0 + std::pow(warped(cut_) / warped(hertz), 8.0));
  }

 private:
  double cut_, rate_;
};

}  // namespace

ResponseLevels::ResponseLevels(std::span<const double> response, double rate, double from, double to) {
  response = response.first(std::min(response.size(), static_cast<std::size_t>(longest * rate)));
  const double narrowest = from * (std::exp2(band / 2.0) - std::exp2(-band / 2.0));
  const std::int64_t length =
      smooth_length(std::max(static_cast<std::int64_t>(response.size()),
                             static_cast<std::int64_t>(std::ceil(lines_a_band * rate / narrowest))));
  width_ = rate / static_cast<double>(length);
  sums_ = {0.0};
  // Below all that is of use, which is half an octave below the lowest dip; its gain is divided out.
  const double cut = std::min(from / 2.0, rate / 8.0);
  const WithoutStatic without_static(cut, rate);
  const auto spectrum = real_fft(without_static(response), length);
  for (std::size_t k = 0; k < spectrum.size(); ++k) {
    const double hertz = static_cast<double>(k) * width_;
    sums_.push_back(sums_.back() + (hertz >= cut ? std::norm(spectrum[k]) / without_static.gain(hertz) : 0.0));
    if (hertz > 2.0 * to) break;
  }
}

double ResponseLevels::mean_power(double low, double high) const {
  const double most = static_cast<double>(sums_.size()) - 1.0;
  const auto first = static_cast<std::size_t>(std::clamp(std::ceil(low / width_), 0.0, most)),
             last = static_cast<std::size_t>(std::clamp(std::floor(high / width_) + 1.0, 0.0, most));
  return last > first ? (sums_[last] - sums_[first]) / static_cast<double>(last - first) : 0.0;
}

std::optional<ResponseDip> ResponseLevels::dip_near(double frequency) const {
  // Frequencies that do not depend on `frequency`: one dip is the same near several notches.
  const auto at = [](int k) { return std::exp2(k / an_octave); };
  const auto power = [&](int k) { return mean_power(at(k) * std::exp2(-band / 2.0), at(k) * std::exp2(band / 2.0)); };
  const double middle = an_octave * std::log2(frequency), far = an_octave * reach + 1e-6;
  std::optional<ResponseDip> deepest;
  double lowest = std::numeric_limits<double>::infinity();
  for (int k = static_cast<int>(std::ceil(middle - far)); k <= middle + far; ++k) {
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
