#include "engine/above/marry.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/math/fourier.hpp"
#include "base/parallel_failure.hpp"
#include "engine/above/late_sound.hpp"

namespace fdtd {
namespace {

using Spectrum = std::vector<std::complex<double>>;
constexpr double fade = 1e-3;        // s, from early sound in phase to the rest
constexpr double end_of_band = 1.1;  // of record.upper, where its low-pass is 0
constexpr double periods = 20.0;     // of the crossover's lower end, in which its filters have rung down

// The low-pass at the end of the band: 1 up to `upper`.
double band_end(double upper, double frequency) {
  if (frequency <= upper) return 1.0;
  if (frequency >= end_of_band * upper) return 0.0;
  const double x = (frequency - upper) / ((end_of_band - 1.0) * upper);
  const double c = std::cos(0.5 * std::numbers::pi * x);
  return c * c;
}

// The early sound at the rate of the response.
std::vector<double> early_at(const std::vector<double>& early, double rate) {
  if (rate == early_rate) return early;
  std::vector<double> other = resample(early, early_rate, rate);
  for (double& x : other) x *= early_rate / rate;
  return other;
}

LateArrivals arrivals_of(const AboveRecord& record, const LateRecord& late) {
  LateEnergies energies;
  energies.octaves = record.octaves.size();
  const std::size_t cells = late.directions ? record.directions.size() : 1;
  energies.bins = late.energy.size() / std::max<std::size_t>(1, energies.octaves * cells);
  energies.bin = record.bin;
  if (late.directions) energies.directions = record.directions;
  energies.energy = late.energy;
  return {energies, late_settings(record, late)};
}

Spectrum late_of(const AboveRecord& record, const AboveChannel& channel, double rate, std::int64_t length) {
  const LateArrivals arrivals = arrivals_of(record, record.late[channel.late]);
  std::vector<double> gains;
  if (!channel.pattern.empty())
    for (const LateArrival& one : arrivals.all()) gains.push_back(pattern_value(channel.pattern, one.towards));
  return late_spectrum(arrivals, record.octaves, rate, length, gains);
}

// Early sound in phase with the wave part, and the rest of it.
struct EarlyParts {
  std::vector<double> coherent, rest;
};
EarlyParts split(std::vector<double> early, double rate, double coherent_until) {
  EarlyParts parts{early, std::move(early)};
  for (std::size_t i = 0; i < parts.rest.size(); ++i) {
    const double t = static_cast<double>(i) / rate;
    const double late = std::clamp((t - coherent_until) / fade + 0.5, 0.0, 1.0);
    parts.coherent[i] *= 1.0 - late;
    parts.rest[i] *= late;
  }
  return parts;
}

void marry_channel(const AboveRecord& record, const AboveChannel& channel, double rate, std::span<double> ir) {
  const double ringing = std::max(0.05, periods / record.crossover.from);
  const std::int64_t length =
      smooth_length(static_cast<std::int64_t>(ir.size()) + static_cast<std::int64_t>(std::ceil(ringing * rate)));
  EarlyParts early = split(early_at(channel.early, rate), rate, record.coherent_until);
  early.coherent.resize(std::min(early.coherent.size(), ir.size()));
  early.rest.resize(std::min(early.rest.size(), ir.size()));
  Spectrum sum = real_fft(ir, length);
  const Spectrum coherent = real_fft(early.coherent, length), rest = real_fft(early.rest, length),
                 late = late_of(record, channel, rate, length);
  for (std::size_t k = 0; k < sum.size(); ++k) {
    const double f = static_cast<double>(k) * rate / static_cast<double>(length);
    const double end = band_end(record.upper, f);
    sum[k] = wave_weight(record.crossover, f) * sum[k] + coherent_weight(record.crossover, f) * end * coherent[k] +
             incoherent_weight(record.crossover, f) * end * (rest[k] + late[k]);
  }
  const std::vector<double> whole = inverse_real_fft(sum, length);
  std::copy_n(whole.begin(), ir.size(), ir.begin());
}

}  // namespace

void add_above(const AboveRecord& record, Rendered& rendered) {
  const auto samples = static_cast<std::size_t>(rendered.samples);
  for (const AboveChannel& channel : record.channels)
    if ((channel.channel + 1) * samples > rendered.ir.size() || channel.late >= record.late.size())
      throw std::invalid_argument("sound above the crossover for a channel that there is not");
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic) if (record.channels.size() > 1)
  for (std::size_t i = 0; i < record.channels.size(); ++i)
    failure.guard([&] {
      const AboveChannel& channel = record.channels[i];
      marry_channel(record, channel, rendered.sample_rate,
                    std::span(rendered.ir).subspan(channel.channel * samples, samples));
    });
  failure.rethrow();
}

}  // namespace fdtd
