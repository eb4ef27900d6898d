#include "base/math/fractional_delay.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace fdtd {
namespace {

constexpr double beta = 0.1102 * (100.0 - 8.7);  // Kaiser's formula for 100 dB
constexpr std::size_t taps = 2 * delay_reach;

// Of samples -reach + 1 ... reach about the place, for a fraction between 0 and 1. Their sum is 1.
std::array<double, taps> fraction_taps(double fraction) {
  std::array<double, taps> values{};
  double sum = 0.0;
  for (std::size_t i = 0; i < taps; ++i) {
    const double t = static_cast<double>(i) + 1.0 - delay_reach - fraction, x = std::numbers::pi * t;
    const double inside = 1.0 - (t / delay_reach) * (t / delay_reach);
    values[i] = inside < 0.0 ? 0.0 : std::sin(x) / x * std::cyl_bessel_i(0.0, beta * std::sqrt(inside));
    sum += values[i];
  }
  for (double& value : values) value /= sum;
  return values;
}

}  // namespace

bool is_whole_delay(double delay) { return std::abs(delay - std::round(delay)) < 1e-6; }

void write_delayed(std::span<const double> signal, double delay, std::span<double> to) {
  if (is_whole_delay(delay)) {
    std::ranges::copy(signal, to.subspan(static_cast<std::size_t>(std::llround(delay))).begin());
    return;
  }
  const double whole = std::floor(delay);
  const std::array<double, taps> values = fraction_taps(delay - whole);
  const std::span<double> from = to.subspan(static_cast<std::size_t>(whole) + 1 - delay_reach);
  for (std::size_t n = 0; n < signal.size(); ++n)
    for (std::size_t i = 0; i < taps; ++i) from[n + i] += signal[n] * values[i];
}

}  // namespace fdtd
