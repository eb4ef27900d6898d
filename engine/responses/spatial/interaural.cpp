#include "engine/responses/spatial/interaural.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

#include "base/math/fourier.hpp"

namespace fdtd {
namespace {

constexpr double longest_lag = 1e-3;    // s
constexpr double lags_a_period = 24.0;  // of `highest`; parabolas through three of them are right to 1e-4
constexpr std::int64_t most_lags_a_sample = 32;

double energy_of(std::span<const double> signal) {
  double sum = 0.0;
  for (const double x : signal) sum += x * x;
  return sum;
}

// The largest |value| at and between three neighbours, of a maximum in the middle.
double crest(double before, double at, double after) {
  const double bend = before - 2.0 * at + after, slope = after - before;
  return bend < 0.0 ? at - slope * slope / (8.0 * bend) : at;
}

}  // namespace

std::optional<double> interaural_coefficient(std::span<const double> left, std::span<const double> right, double rate,
                                             double highest) {
  const double scale = std::sqrt(energy_of(left) * energy_of(right));
  if (!(scale > 0.0)) return std::nullopt;
  const auto reach = static_cast<std::int64_t>(std::ceil(longest_lag * rate)) + 2;
  const std::int64_t length = smooth_length(static_cast<std::int64_t>(left.size()) + 2 * reach);
  std::int64_t finer = 1;
  while (finer < most_lags_a_sample && static_cast<double>(finer) * rate < lags_a_period * highest) finer *= 2;
  const auto of_left = real_fft(left, length), of_right = real_fft(right, length);
  std::vector<std::complex<double>> cross(static_cast<std::size_t>(finer * length / 2 + 1), 0.0);
  for (std::size_t k = 0; k < of_left.size(); ++k) cross[k] = std::conj(of_left[k]) * of_right[k];
  const std::vector<double> sums = inverse_real_fft(cross, finer * length);
  const auto count = static_cast<std::int64_t>(sums.size());
  const auto at = [&](std::int64_t lag) {
    return std::abs(sums[static_cast<std::size_t>((lag + count) % count)]) * static_cast<double>(finer);
  };
  const auto last = static_cast<std::int64_t>(std::floor(longest_lag * rate * static_cast<double>(finer) + 1e-9));
  double largest = 0.0;
  for (std::int64_t lag = -last; lag <= last; ++lag) {
    const double here = at(lag);
    const bool inside = std::abs(lag) < last && here >= at(lag - 1) && here >= at(lag + 1);
    largest = std::max(largest, inside ? crest(at(lag - 1), here, at(lag + 1)) : here);
  }
  return std::min(1.0, largest / scale);
}

}  // namespace fdtd
