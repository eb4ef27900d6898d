#include "engine/responses/band_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace fdtd {
namespace {

constexpr double margin = 10.0;             // dB between the evaluated range and the noise: ISO 3382-1, 5.3.3
constexpr double uncertain_range = 1.0;     // dB
constexpr double early_range = 20.0;        // dB, for ratios of early to late energy
constexpr double min_ringings = 1.25;       // decay time over that of the band filter
constexpr double free_field_energy = 0.01;  // of a unit sample at 10 m, when it is 1 at 1 m

Figure missing(std::string reason) { return {std::nullopt, std::move(reason)}; }

// A decay, and where it was found in bins the same by the samples before them.
struct FoundDecay {
  Decay decay;
  std::optional<Decay> finer;
  double width = 1.0;                                   // samples a bin, of `decay`
  double noise() const { return decay.noise / width; }  // energy per sample
};

// Ahead of the onset, as it counts in the total.
double energy_before(const BandEnergy& band, const FoundDecay& found) {
  return std::max(0.0, band.energy.before - found.noise() * static_cast<double>(band.energy.samples_before));
}

// Empty where the decay spans what is needed, less what the range itself is uncertain by: a sharp limit would keep the
// short ones of decays that differ by chance. Compared as printed.
std::string too_little(const Decay& decay, double needed) {
  const double printed = std::round(10.0 * decay.range) / 10.0;
  if (printed >= needed - uncertain_range) return "";
  return fmt::format("the decay spans {:.1f} dB, {:.0f} dB are needed", printed, needed);
}

// A decay time from the line between two levels.
Figure decay_time(const FoundDecay& found, double upper, double lower, double ringing, Figure* nonlinearity = nullptr) {
  const Decay& decay = found.decay;
  if (!decay.reason.empty()) return missing(decay.reason);
  if (auto reason = too_little(decay, margin - lower); !reason.empty()) return missing(std::move(reason));
  auto line = found.finer ? fit_line(*found.finer, upper, lower) : std::nullopt;
  if (!line) line = fit_line(decay, upper, lower);
  if (!line) return missing("the decay is shorter than three samples");
  if (line->time < min_ringings * ringing)
    return missing(fmt::format("the decay is as short as the ringing of the band's filter, {:.2g} s", ringing));
  if (nonlinearity != nullptr) *nonlinearity = {line->nonlinearity, {}};
  return {line->time, {}};
}

// Energy up to `seconds` after the onset; the late energy is the rest of the total. The limit is that between samples
// of the response, which lie closer than these: the sample that it divides counts in part.
double early_energy(const BandEnergy& energy, const FoundDecay& found, double seconds) {
  const Decay& decay = found.decay;
  const std::span<const double> samples = energy.energy.samples;
  const double end = static_cast<double>(decay.end) * energy.rate / decay.rate;  // the decay may be one of bins
  const double limit = std::min(
      {seconds * energy.rate + 0.5 * (1.0 - 1.0 / energy.decimation), end, static_cast<double>(samples.size())});
  const auto whole = static_cast<std::size_t>(limit);
  const double part = whole < samples.size() ? (limit - static_cast<double>(whole)) * samples[whole] : 0.0;
  return energy_before(energy, found) - found.noise() * limit +
         std::accumulate(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(whole), part);
}

Figure clarity(const BandEnergy& energy, const FoundDecay& found, double seconds, bool as_fraction) {
  const Decay& decay = found.decay;
  if (!decay.reason.empty()) return missing(decay.reason);
  if (auto reason = too_little(decay, early_range); !reason.empty()) return missing(std::move(reason));
  if (static_cast<double>(decay.end) < seconds * decay.rate)
    return missing(fmt::format("the decay ends or reaches the noise {:.0f} ms after the onset",
                               1e3 * static_cast<double>(decay.end) / decay.rate));
  const double early = early_energy(energy, found, seconds), late = decay.total - early;
  if (as_fraction) return {std::clamp(early / decay.total, 0.0, 1.0), {}};  // of what is left without the noise
  if (!(late > 0.0 && early > 0.0)) return missing("there is no energy on one side of the limit");
  return {10.0 * std::log10(early / late), {}};
}

Figure centre_time(const BandEnergy& band, const FoundDecay& found) {
  const Decay& decay = found.decay;
  if (!decay.reason.empty()) return missing(decay.reason);
  if (auto reason = too_little(decay, early_range); !reason.empty()) return missing(std::move(reason));
  const LongEnergy& energy = band.energy;
  const double end = found.width * static_cast<double>(decay.end);
  const std::size_t single = std::min(energy.samples.size(), static_cast<std::size_t>(end));
  const double noise = found.noise(), ahead = static_cast<double>(energy.samples_before);
  // Samples ahead have places below 0.
  double moment = std::min(0.0, band.moment_before + noise * ahead * (ahead + 1.0) / 2.0);
  for (std::size_t i = 0; i < single; ++i) moment += (energy.samples[i] - noise) * static_cast<double>(i);
  // A bin counts at the middle of its samples.
  for (double at = static_cast<double>(energy.samples.size()); at + found.width <= end; at += found.width) {
    const auto bin = static_cast<std::size_t>((at - static_cast<double>(energy.samples.size())) / found.width);
    moment += (energy.bins[bin] - decay.noise) * (at + 0.5 * (found.width - 1.0));
  }
  // Energy X that falls by e in tau from t_e on has the moment X (t_e + tau).
  moment += decay.extrapolated * (end + decay.late_time * band.rate);
  return {moment / decay.total / band.rate, {}};
}

// Adds energies at equal distances to the sum over time of energy e^(-2 pi i F t), t in samples.
void add_modulated(std::span<const double> energies, double first, double spacing, double cycles_a_sample,
                   std::complex<double>& sum) {
  const double turn = -2.0 * std::numbers::pi * cycles_a_sample;
  const std::complex<double> step = std::polar(1.0, turn * spacing);
  std::complex<double> phase = 1.0, part = 0.0;
  for (std::size_t i = 0; i < energies.size(); ++i) {
    if (i % 4096 == 0) phase = std::polar(1.0, turn * (first + spacing * static_cast<double>(i)));
    part += energies[i] * phase;
    phase *= step;
  }
  sum += part;
}

// |integral of p^2 e^(-2 pi i F t)| over that of p^2, without the noise and with the exponential rest: m(F) of M. R.
// Schroeder, "Modulation transfer functions: definition and measurement", Acustica 49 (1981).
std::optional<Modulation> modulation_of(const BandEnergy& band, const FoundDecay& found) {
  const Decay& decay = found.decay;
  if (!decay.reason.empty() || !too_little(decay, early_range).empty()) return std::nullopt;
  const LongEnergy& energy = band.energy;
  const double end = found.width * static_cast<double>(decay.end), noise = found.noise();
  const std::size_t single = std::min(energy.samples.size(), static_cast<std::size_t>(end));
  // Sums over half a millisecond, short beside the period of every modulation frequency.
  const auto width = std::max<std::size_t>(1, static_cast<std::size_t>(5e-4 * band.rate));
  std::vector<double> sums(single / width, 0.0);
  for (std::size_t i = 0; i < sums.size() * width; ++i) sums[i / width] += energy.samples[i] - noise;
  std::vector<double> rest;
  for (std::size_t i = sums.size() * width; i < single; ++i) rest.push_back(energy.samples[i] - noise);
  std::vector<double> bins;
  for (double at = static_cast<double>(energy.samples.size()); at + found.width <= end; at += found.width)
    bins.push_back(energy.bins[bins.size()] - decay.noise);
  const double before = energy_before(band, found), ahead = static_cast<double>(energy.samples_before);
  const double moment = std::min(0.0, band.moment_before + noise * ahead * (ahead + 1.0) / 2.0);
  Modulation m{};
  for (std::size_t k = 0; k < m.size(); ++k) {
    const double cycles = modulation_frequencies[k] / band.rate, turn = 2.0 * std::numbers::pi * cycles;
    std::complex<double> sum = before > 0.0 ? std::polar(before, -turn * moment / before) : 0.0;
    add_modulated(sums, 0.5 * static_cast<double>(width - 1), static_cast<double>(width), cycles, sum);
    add_modulated(rest, static_cast<double>(sums.size() * width), 1.0, cycles, sum);
    add_modulated(bins, static_cast<double>(energy.samples.size()) + 0.5 * (found.width - 1.0), found.width, cycles,
                  sum);
    sum += decay.extrapolated * std::polar(1.0, -turn * end) /
           std::complex<double>(1.0, turn * band.rate * decay.late_time);
    m[k] = std::abs(sum) / decay.total;
  }
  return m;
}

Figure strength(const Decay& decay, double reference, const MetricsOptions& options) {
  if (!decay.reason.empty()) return missing(decay.reason);
  if (!options.scale) return missing("the scale of the response is not known");
  if (auto reason = too_little(decay, early_range); !reason.empty()) return missing(std::move(reason));
  return {10.0 * std::log10(decay.total * *options.scale * *options.scale / (free_field_energy * reference)), {}};
}

// All energy from the onset on in whole bins.
std::vector<double> in_bins(const LongEnergy& energy) {
  std::vector<double> bins;
  for (std::size_t i = 0; i + energy.width <= energy.samples.size(); i += energy.width)
    bins.push_back(std::accumulate(energy.samples.begin() + static_cast<std::ptrdiff_t>(i),
                                   energy.samples.begin() + static_cast<std::ptrdiff_t>(i + energy.width), 0.0));
  bins.insert(bins.end(), energy.bins.begin(), energy.bins.end());
  if (energy.binned % energy.width != 0) bins.pop_back();
  return bins;
}

FoundDecay decay_of(const BandEnergy& band, double known_noise) {
  const LongEnergy& energy = band.energy;
  if (auto decay = find_decay(energy, band.rate, known_noise)) return {std::move(*decay), {}, 1.0};
  const std::vector<double> bins = in_bins(energy);
  FoundDecay found;
  found.width = static_cast<double>(energy.width);
  // The noise ahead of the onset in whole bins, or nearly.
  found.decay = *find_decay({bins, {}, 1, 0, energy.before, energy.samples_before / energy.width},
                            band.rate / found.width, known_noise * found.width);
  if (!found.decay.reason.empty()) return found;
  Decay finer;
  finer.rate = band.rate;
  finer.end = std::min(found.decay.end * energy.width, energy.samples.size());
  double remaining = found.decay.extrapolated;
  for (std::size_t bin = found.decay.end; bin-- > finer.end / energy.width;) remaining += bins[bin] - found.decay.noise;
  finer.level.resize(finer.end + 1);
  for (std::size_t i = finer.end + 1; i-- > 0;) {
    if (i < finer.end) remaining += energy.samples[i] - found.noise();
    finer.level[i] = 10.0 * std::log10(std::max(remaining / found.decay.total, 1e-30));
  }
  found.finer = std::move(finer);
  return found;
}

}  // namespace

double counted_ahead(double ringing, double bandwidth) {
  constexpr double half_periods = 8.0;  // of the band limit, as an onset's ringing is looked for
  return ringing + (bandwidth > 0.0 ? half_periods / (2.0 * bandwidth) : 0.0);
}

void leave_further(BandMetrics& band, const std::string& reason) {
  for (const NamedFigure& one : std::span(named_figures).subspan(figures_of_decay)) band.*one.figure = missing(reason);
}

BandMetrics measure_band(const BandEnergy& band_energy, double centre, double ringing, const MetricsOptions& options) {
  const double reference = band_energy.flat_energy;
  const double noise = options.step * options.step / 12.0 * reference * band_energy.decimation;
  BandMetrics band;
  band.centre = centre;
  FoundDecay found = decay_of(band_energy, noise);
  const Decay& decay = found.decay;
  band.range = decay.range;
  band.nonlinearity_T20 = missing("T20 is missing");
  band.nonlinearity_T30 = missing("T30 is missing");
  band.EDT = decay_time(found, 0.0, -10.0, ringing);
  band.T20 = decay_time(found, -5.0, -25.0, ringing, &band.nonlinearity_T20);
  band.T30 = decay_time(found, -5.0, -35.0, ringing, &band.nonlinearity_T30);
  band.C50 = clarity(band_energy, found, 0.05, false);
  band.C80 = clarity(band_energy, found, 0.08, false);
  band.D50 = clarity(band_energy, found, 0.05, true);
  band.Ts = centre_time(band_energy, found);
  band.G = strength(decay, reference, options);
  if (std::ranges::find(speech_octaves, centre) != speech_octaves.end())
    band.modulation = modulation_of(band_energy, found);
  if (band.T20.value && band.T30.value) {
    band.curvature.value = 100.0 * (*band.T30.value / *band.T20.value - 1.0);
  } else {
    band.curvature = missing("T20 or T30 is missing");
  }
  leave_further(band,
                decay.reason.empty() ? "a response too long for memory has the figures of decays alone" : decay.reason);
  if (options.keep_decays) band.decay = std::move(found.decay);
  return band;
}

BandMetrics measure_octave(OctaveSignal octave, double centre, double ringing, double bandwidth,
                           const MetricsOptions& options) {
  for (double& x : octave.samples) x *= x;
  const std::span<const double> samples = octave.samples;
  const auto count = static_cast<std::size_t>(
      std::min(std::ceil(counted_ahead(ringing, bandwidth) * octave.rate), static_cast<double>(octave.aligned)));
  const std::span<const double> ahead = samples.subspan(octave.aligned - count, count);
  BandEnergy energy{
      {samples.subspan(octave.aligned), {}, 1, 0, 0.0, count}, 0.0, octave.rate, octave.decimation, octave.flat_energy};
  for (std::size_t i = 0; i < ahead.size(); ++i) {
    energy.energy.before += ahead[i];
    energy.moment_before -= ahead[i] * static_cast<double>(ahead.size() - i);
  }
  return measure_band(energy, centre, ringing, options);
}

BandMetrics too_short(double centre, double ringing) {
  BandMetrics band;
  band.centre = centre;
  const std::string reason =
      fmt::format("the response is no longer than the ringing of the band's filter, {:.2g} s", ringing);
  for (const NamedFigure& one : named_figures) band.*one.figure = missing(reason);
  return band;
}

}  // namespace fdtd
