// Responses of ears: the filters of a head applied to the channels of a place.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "base/error.hpp"
#include "base/math/fourier.hpp"
#include "base/math/spherical_harmonics.hpp"
#include "engine/binaural/ear_filters.hpp"
#include "engine/responses/render.hpp"

namespace fdtd {
namespace {

using Complex = std::complex<double>;

// A filter's taps at another rate: they keep their sum.
std::vector<double> taps_at(std::span<const double> taps, double from, double to) {
  std::vector<double> other(taps.begin(), taps.end());
  if (from == to) return other;
  other = resample(other, from, to);
  for (double& x : other) x *= from / to;
  return other;
}

}  // namespace

std::vector<double> ears_of(const EarFilters& filters, const std::vector<std::span<const double>>& harmonics,
                            double rate) {
  const std::size_t channels = harmonic_count(filters.order);
  if (harmonics.size() != channels || filters.ears.size() != 2 * channels * filters.taps)
    throw Error(Status::scene, "the channels of a binaural receiver do not fit the filters of its ears");
  const std::size_t samples = harmonics[0].size();
  const auto taps = static_cast<std::size_t>(std::ceil(static_cast<double>(filters.taps) * rate / filters.sample_rate));
  const std::int64_t length = smooth_length(static_cast<std::int64_t>(samples + taps + 1));
  std::vector<std::vector<Complex>> sums(2, std::vector<Complex>(static_cast<std::size_t>(length / 2 + 1)));
  for (std::size_t i = 0; i < channels; ++i) {
    const std::vector<Complex> field = real_fft(harmonics[i], length);
    for (std::size_t ear = 0; ear < 2; ++ear) {
      const std::span<const double> of =
          std::span(filters.ears).subspan((ear * channels + i) * filters.taps, filters.taps);
      const std::vector<Complex> filter = real_fft(taps_at(of, filters.sample_rate, rate), length);
      for (std::size_t k = 0; k < field.size(); ++k) sums[ear][k] += filter[k] * field[k];
    }
  }
  std::vector<double> ears;
  for (std::vector<Complex>& sum : sums) {
    for (std::size_t k = 0; k < sum.size(); ++k)
      sum[k] *= std::polar(
          1.0, 2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(length) * rate * filters.lead);
    sum.back() = sum.back().real();
    const std::vector<double> signal = inverse_real_fft(sum, length);
    ears.insert(ears.end(), signal.begin(), signal.begin() + static_cast<std::ptrdiff_t>(samples));
  }
  return ears;
}

}  // namespace fdtd
