#include "tests/support/solutions/plane_wave_ears.hpp"

#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>

#include "base/math/fourier.hpp"
#include "base/math/spherical_harmonics.hpp"
#include "engine/responses/render.hpp"

namespace fdtd::test {
namespace {

using Complex = std::complex<double>;
using Spectrum = std::vector<Complex>;
constexpr double pi = std::numbers::pi;

struct Bins {
  std::int64_t length = 0;
  double width = 0.0;  // Hz
};

// `earlier` s.
Spectrum earlier_spectrum(std::span<const double> samples, const Bins& bins, double earlier) {
  Spectrum spectrum = real_fft(samples, bins.length);
  for (std::size_t k = 0; k < spectrum.size(); ++k)
    spectrum[k] *= std::polar(1.0, 2.0 * pi * static_cast<double>(k) * bins.width * earlier);
  return spectrum;
}

double octave_energy(const Spectrum& spectrum, const Bins& bins, double centre) {
  double energy = 0.0;
  for (std::size_t k = 0; k < spectrum.size(); ++k)
    if (const double f = static_cast<double>(k) * bins.width;
        f >= centre / std::numbers::sqrt2 && f < centre * std::numbers::sqrt2)
      energy += std::norm(spectrum[k]);
  return energy;
}

// µs, by which sound is later at the right ear: where the correlation of both is largest from 150 Hz to `highest`.
double later_at_right(const Spectrum& left, const Spectrum& right, const Bins& bins, double highest) {
  const auto first = static_cast<std::size_t>(std::ceil(150.0 / bins.width));
  double best = 0.0, most = -1e300;
  for (int delay = -1000; delay <= 1000; ++delay) {
    const double angle = 2e-6 * pi * bins.width * delay;
    const Complex step = std::polar(1.0, angle);
    Complex turn = std::polar(1.0, angle * static_cast<double>(first));
    double sum = 0.0;
    for (std::size_t k = first; static_cast<double>(k) * bins.width <= highest; ++k, turn *= step)
      sum += (std::conj(left[k]) * right[k] * turn).real();
    if (sum > most) most = sum, best = delay;
  }
  return best;
}

// The filters in a field of plane waves: a channel of degree n has its radial filter, and the file's distance its own.
std::vector<Spectrum> in_plane_waves(const EarFilters& filters, const Bins& bins, double distance) {
  const std::size_t channels = harmonic_count(filters.order);
  std::vector<Spectrum> taps;
  for (std::size_t i = 0; i < 2 * channels; ++i) {
    const int n = harmonic_degree(i % channels);
    taps.push_back(
        earlier_spectrum(std::span(filters.ears).subspan(i * filters.taps, filters.taps), bins, filters.lead));
    const auto radial = [&](double hertz, double cut) {
      return std::pow(Complex(0.0, hertz / cut), n) * radial_integration(n, hertz / cut);
    };
    for (std::size_t k = 1; n > 0 && k < taps[i].size(); ++k) {
      const double hertz = static_cast<double>(k) * bins.width;
      taps[i][k] *= radial(hertz, plain_cut(n)) / radial(hertz, sound_speed_of_heads / (2.0 * pi * distance));
    }
  }
  return taps;
}

}  // namespace

EarErrors errors_in_plane_waves(const HeadResponses& head, int order, std::span<const double> centres) {
  const EarFilters filters = design_ear_filters(head, order);
  const std::size_t channels = harmonic_count(order);
  const std::int64_t length = smooth_length(static_cast<std::int64_t>(2 * filters.taps));
  const Bins bins{length, head.sample_rate / static_cast<double>(length)};
  const std::vector<Spectrum> taps = in_plane_waves(filters, bins, head.distance);
  const double delay = common_delay(head, solid_angles(head.directions));
  const SphericalHarmonics harmonics(order, HarmonicNorm::sn3d);
  EarErrors errors{filters.exact_to, std::vector<std::vector<double>>(centres.size()), {}};
  for (std::size_t q = 0; q < head.directions.size(); ++q) {
    const std::vector<double> gains = harmonics(head.directions[q]);
    std::vector<Spectrum> is(2, Spectrum(static_cast<std::size_t>(length / 2 + 1))), should;
    for (std::size_t ear = 0; ear < 2; ++ear) {
      for (std::size_t i = 0; i < channels; ++i)
        for (std::size_t k = 0; k < is[ear].size(); ++k) is[ear][k] += gains[i] * taps[ear * channels + i][k];
      should.push_back(
          earlier_spectrum(std::span(head.ears).subspan((2 * q + ear) * head.samples, head.samples), bins, delay));
      for (std::size_t o = 0; o < centres.size(); ++o)
        errors.level[o].push_back(
            10.0 * std::log10(octave_energy(is[ear], bins, centres[o]) / octave_energy(should[ear], bins, centres[o])));
    }
    const double highest = 0.7 * filters.exact_to;
    errors.time.push_back(
        std::abs(later_at_right(is[0], is[1], bins, highest) - later_at_right(should[0], should[1], bins, highest)));
  }
  return errors;
}

}  // namespace fdtd::test
