// bench_head_ears HEAD.sofa: what filters of ears make of plane waves from every measured direction of a head, beside its
// measured responses, by order: errors of level by octave and direction, and of the interaural time difference.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numbers>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "base/math/fourier.hpp"
#include "base/math/spherical_harmonics.hpp"
#include "engine/binaural/ear_filters.hpp"
#include "engine/responses/render.hpp"

namespace fdtd {
namespace {

using Complex = std::complex<double>;
using Spectrum = std::vector<Complex>;
constexpr double pi = std::numbers::pi;

struct Bins {
  std::int64_t length = 0;
  double width = 0.0;  // Hz
};

// `earlier` s.
Spectrum spectrum_of(std::span<const double> samples, const Bins& bins, double earlier) {
  Spectrum spectrum = real_fft(samples, bins.length);
  for (std::size_t k = 0; k < spectrum.size(); ++k)
    spectrum[k] *= std::polar(1.0, 2.0 * pi * static_cast<double>(k) * bins.width * earlier);
  return spectrum;
}

// Of a channel of degree n beside that of a plane wave, from a source at that distance (engine/responses/render.hpp).
Complex rendered(int n, double hertz, double distance) {
  const auto filter = [&](double cut) {
    return std::pow(Complex(0.0, hertz / cut), n) * radial_integration(n, hertz / cut);
  };
  return filter(plain_cut(n)) / filter(sound_speed_of_heads / (2.0 * pi * distance));
}

double energy_of(const Spectrum& spectrum, const Bins& bins, double centre) {
  double energy = 0.0;
  for (std::size_t k = 0; k < spectrum.size(); ++k)
    if (const double f = static_cast<double>(k) * bins.width;
        f >= centre / std::numbers::sqrt2 && f < centre * std::numbers::sqrt2)
      energy += std::norm(spectrum[k]);
  return energy;
}

// s, by which sound is later at the right ear, from 150 Hz to `highest`.
double time_difference(const Spectrum& left, const Spectrum& right, const Bins& bins, double highest) {
  double best = 0.0, most = -1e300;
  for (double delay = -1e-3; delay <= 1e-3; delay += 1e-6) {
    Complex turn = 1.0;
    double sum = 0.0;
    const Complex step = std::polar(1.0, 2.0 * pi * bins.width * delay);
    for (std::size_t k = 0; static_cast<double>(k) * bins.width <= highest; ++k, turn *= step)
      if (static_cast<double>(k) * bins.width >= 150.0) sum += (std::conj(left[k]) * right[k] * turn).real();
    if (sum > most) most = sum, best = delay;
  }
  return best;
}

double percentile(std::vector<double> values, double part) {
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

nlohmann::ordered_json of_order(const HeadResponses& head, int order, double delay) {
  const EarFilters filters = design_ear_filters(head, order);
  const std::size_t channels = harmonic_count(order);
  const std::int64_t length = smooth_length(static_cast<std::int64_t>(2 * filters.taps));
  const Bins bins{length, head.sample_rate / static_cast<double>(length)};
  std::vector<Spectrum> taps;
  for (std::size_t i = 0; i < 2 * channels; ++i)
    taps.push_back(spectrum_of(std::span(filters.ears).subspan(i * filters.taps, filters.taps), bins, filters.lead));
  for (std::size_t i = 0; i < taps.size(); ++i) {
    const int n = harmonic_degree(i % channels);
    for (std::size_t k = 1; n > 0 && k < taps[i].size(); ++k)
      taps[i][k] *= rendered(n, static_cast<double>(k) * bins.width, head.distance);
  }
  const SphericalHarmonics harmonics(order, HarmonicNorm::sn3d);
  const std::vector<double> centres = {125.0, 250.0, 500.0, 1000.0, 2000.0, 4000.0, 8000.0, 16000.0};
  std::vector<std::vector<double>> errors(centres.size());
  std::vector<double> times;
  for (std::size_t q = 0; q < head.directions.size(); ++q) {
    const std::vector<double> gains = harmonics(head.directions[q]);
    std::vector<Spectrum> is(2), should;
    for (std::size_t ear = 0; ear < 2; ++ear) {
      is[ear].resize(static_cast<std::size_t>(length / 2 + 1));
      for (std::size_t i = 0; i < channels; ++i)
        for (std::size_t k = 0; k < is[ear].size(); ++k) is[ear][k] += gains[i] * taps[ear * channels + i][k];
      should.push_back(
          spectrum_of(std::span(head.ears).subspan((2 * q + ear) * head.samples, head.samples), bins, delay));
      for (std::size_t o = 0; o < centres.size(); ++o)
        errors[o].push_back(
            10.0 * std::log10(energy_of(is[ear], bins, centres[o]) / energy_of(should[ear], bins, centres[o])));
    }
    const double highest = 0.7 * filters.exact_to;
    times.push_back(1e6 * std::abs(time_difference(is[0], is[1], bins, highest) -
                                   time_difference(should[0], should[1], bins, highest)));
  }
  nlohmann::ordered_json row{{"order", order}, {"exact_to_hz", std::round(filters.exact_to)}};
  for (std::size_t o = 0; o < centres.size(); ++o) {
    double squares = 0.0;
    for (double& x : errors[o]) squares += x * x, x = std::abs(x);
    const auto tenths = [](double x) { return std::round(100.0 * x) / 100.0; };
    row[fmt::format("rms_db_{:g}", centres[o])] = tenths(std::sqrt(squares / static_cast<double>(errors[o].size())));
    row[fmt::format("p95_db_{:g}", centres[o])] = tenths(percentile(errors[o], 0.95));
  }
  row["time_p95_us"] = std::round(percentile(times, 0.95));
  row["time_largest_us"] = std::round(percentile(times, 1.0));
  return row;
}

}  // namespace
}  // namespace fdtd

int main(int count, char** words) try {
  using namespace fdtd;
  if (count != 2) {
    fmt::print(stderr, "bench_head_ears HEAD.sofa\n");
    return 2;
  }
  const HeadResponses head = read_head(words[1]);
  const double delay = common_delay(head, solid_angles(head.directions));
  nlohmann::ordered_json document{{"program", "bench_head_ears"},
                                  {"head", std::filesystem::path(words[1]).filename().string()},
                                  {"directions", head.directions.size()},
                                  {"gap_degrees", std::round(head.gap)},
                                  {"common_delay_ms", std::round(1e5 * delay) / 100.0}};
  for (int order = 1; order <= 9; order += order < 5 ? 1 : 2)
    if (harmonic_count(order) <= head.directions.size()) document["orders"].push_back(of_order(head, order, delay));
  fmt::print("{}\n", document.dump(1));
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
