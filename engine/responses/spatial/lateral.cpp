#include "engine/responses/spatial/lateral.hpp"

#include <algorithm>
#include <cmath>

namespace fdtd {
namespace {

// The sum of value(sample), less `noise` a sample, up to `seconds` after the onset, which divides a sample in two. The
// limit lies between samples of the response, as that of clarity does.
template <class Value>
double sum_until(const LateralSignals& of, double seconds, double noise, const Value& value) {
  const std::size_t first = of.onset - of.ahead, all = std::min(of.pressure.size(), of.lateral.size());
  const double after = seconds * of.rate + 0.5 * (1.0 - 1.0 / of.decimation);
  const double limit = std::min(static_cast<double>(of.onset) + after, static_cast<double>(all));
  const auto whole = static_cast<std::size_t>(limit);
  double sum = -noise * (limit - static_cast<double>(first));
  for (std::size_t i = first; i < whole; ++i) sum += value(i);
  return whole < all ? sum + (limit - static_cast<double>(whole)) * value(whole) : sum;
}

}  // namespace

LateralEnergy lateral_energy(const LateralSignals& of) {
  const auto square = [&](std::size_t i) { return of.pressure[i] * of.pressure[i]; };
  const auto lateral = [&](std::size_t i) { return of.lateral[i] * of.lateral[i]; };
  const auto product = [&](std::size_t i) { return std::abs(of.lateral[i] * of.pressure[i]); };
  const auto between = [&](double noise, const auto& value) {
    return std::max(0.0, sum_until(of, early_until, noise, value) - sum_until(of, lateral_from, noise, value));
  };
  return {sum_until(of, early_until, of.noise, square), between(of.noise_of_lateral, lateral), between(0.0, product),
          sum_until(of, early_until, of.noise_of_lateral, lateral)};
}

}  // namespace fdtd
