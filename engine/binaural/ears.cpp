// Responses of ears: the filters of a head applied to the channels of a place.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "base/error.hpp"
#include "base/math/fourier.hpp"
#include "base/math/spherical_harmonics.hpp"
#include "engine/binaural/ear_filters.hpp"
#include "engine/binaural/moving_ears.hpp"
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

// The radial filter of degree n at x = i `ratio`.
Complex radial_filter(int n, double ratio) { return std::pow(Complex(0.0, ratio), n) * radial_integration(n, ratio); }

// Hz, of the radial filters to which raised ones are carried: also of the first order, whose own would ring for 0.1 s.
const double aimed_cut = sound_speed_of_heads / (2.0 * std::numbers::pi * radial_distance);

// By bins of that width: the phase of the radial filter that channels should have over that of the one they have.
std::vector<Complex> missing_phase(int n, double cut, double width, std::size_t bins) {
  std::vector<Complex> phase(bins, 1.0);
  for (std::size_t k = 1; k < bins; ++k) {
    const double hertz = static_cast<double>(k) * width;
    const Complex ratio = radial_filter(n, hertz / aimed_cut) / radial_filter(n, hertz / cut);
    phase[k] = ratio / std::abs(ratio);
  }
  return phase;
}

}  // namespace

double plain_cut(int n) { return n == 1 ? 5.0 : sound_speed_of_heads / (2.0 * std::numbers::pi * radial_distance); }

std::vector<double> ear_cuts(const ChannelOptions& channels, std::size_t source, std::size_t first, std::size_t count) {
  const std::size_t receivers = channels.receiver_orders.size();
  if (first + count > receivers || (!channels.near_corner.empty() && channels.near_corner.size() / receivers <= source))
    throw Error(Status::scene, "the channels of a binaural receiver are not those that are rendered");
  std::vector<double> cuts;
  for (std::size_t r = first; r < first + count; ++r) {
    const int n = channels.receiver_orders[r];
    if (n < 0 || static_cast<std::size_t>(n) >= channels.cut.size())
      throw Error(Status::scene, "the channels of a binaural receiver have orders that have no radial filter");
    const double corner = channels.near_corner.empty() ? 0.0 : channels.near_corner[source * receivers + r];
    const double cut =
        n == 0 ? 0.0
               : std::max(channels.cut[static_cast<std::size_t>(n)], corner > 0.0 ? corner / radial_corner(n) : 0.0);
    cuts.push_back(n > 0 && cut > 1.05 * aimed_cut ? cut : 0.0);
  }
  return cuts;
}

std::vector<double> ears_of(const EarFilters& filters, const std::vector<std::span<const double>>& harmonics,
                            double rate, const std::vector<double>& cuts) {
  const std::size_t channels = harmonic_count(filters.order);
  if (harmonics.size() != channels || (!cuts.empty() && cuts.size() != channels) ||
      filters.ears.size() != 2 * channels * filters.taps)
    throw Error(Status::scene, "the channels of a binaural receiver do not fit the filters of its ears");
  const std::size_t samples = harmonics[0].size();
  const auto taps = static_cast<std::size_t>(std::ceil(static_cast<double>(filters.taps) * rate / filters.sample_rate));
  const std::int64_t length = smooth_length(static_cast<std::int64_t>(
      samples + taps + 2 * static_cast<std::size_t>(std::ceil(ringing_of_phases * rate)) + 1));
  std::vector<std::vector<Complex>> sums(2, std::vector<Complex>(static_cast<std::size_t>(length / 2 + 1)));
  std::vector<Complex> phase;
  for (std::size_t i = 0; i < channels; ++i) {
    std::vector<Complex> field = real_fft(harmonics[i], length);
    if (const double cut = cuts.empty() ? 0.0 : cuts[i]; cut > 0.0) {
      const int n = harmonic_degree(i);
      if (phase.empty() || i == static_cast<std::size_t>(n * n) || cut != cuts[i - 1])
        phase = missing_phase(n, cut, rate / static_cast<double>(length), field.size());
      for (std::size_t k = 0; k < field.size(); ++k) field[k] *= phase[k];
    }
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
