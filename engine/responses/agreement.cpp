#include "engine/responses/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "base/math/fourier.hpp"
#include "engine/responses/band_figures.hpp"
#include "engine/responses/octave_filter.hpp"

namespace fdtd {
namespace {

double midband_below(Crossover crossover) { return crossover.from / std::numbers::sqrt2; }

MetricsOptions absolute_levels() {
  MetricsOptions options;
  options.scale = 1.0;
  return options;
}

// Energies by sample, each spread as the octave's filter spreads the energy of an arrival, to `lead` samples ahead.
std::vector<double> spread(const std::vector<double>& energies, double rate, double midband, std::size_t lead) {
  const std::int64_t length = smooth_length(static_cast<std::int64_t>(energies.size() + 2 * lead));
  std::vector<std::complex<double>> magnitudes(static_cast<std::size_t>(length / 2 + 1));
  for (std::size_t k = 0; k < magnitudes.size(); ++k)
    magnitudes[k] = octave_magnitude(midband, static_cast<double>(k) * rate / static_cast<double>(length));
  std::vector<double> filter = inverse_real_fft(magnitudes, length);
  double sum = 0.0;
  for (double& x : filter) sum += x *= x;
  std::vector<double> padded(lead, 0.0);
  padded.insert(padded.end(), energies.begin(), energies.end());
  auto spectrum = real_fft(padded, length);
  const auto spreading = real_fft(filter, length);
  for (std::size_t k = 0; k < spectrum.size(); ++k) spectrum[k] *= spreading[k] / sum;
  std::vector<double> result = inverse_real_fft(spectrum, length);
  result.resize(lead + energies.size());
  for (double& x : result) x = std::max(x, 0.0);  // the transform's rounding
  return result;
}

// Energy after the end of a record, which goes on to fall as it does from its last tenth but one to its last; infinite
// where it does not fall.
double remaining(std::span<const double> energies) {
  const std::size_t tenth = energies.size() / 10;
  const auto sum = [&](std::size_t from) {
    double energy = 0.0;
    for (const double e : energies.subspan(from, tenth)) energy += e;
    return energy;
  };
  if (tenth == 0) return 0.0;
  const double before = sum(energies.size() - 2 * tenth), last = sum(energies.size() - tenth);
  if (last <= 0.0) return 0.0;
  return last < before ? last * last / (before - last) : std::numeric_limits<double>::infinity();
}

// The figures of energies that hold no noise. `onset`: the sample of the direct sound.
BandMetrics figures_of(const std::vector<double>& energies, std::size_t onset, double rate, double after) {
  BandMetrics band;
  if (!std::isfinite(after)) {
    band.G.reason = band.C80.reason = band.T20.reason = "the energies do not fall where they end";
    return band;
  }
  Decay decay;
  decay.rate = rate;
  decay.end = energies.size() - onset;
  decay.level.resize(decay.end + 1);
  double sum = after, late = after, ahead = 0.0;
  const auto limit = static_cast<std::size_t>(std::floor(0.08 * rate + 0.5));
  for (std::size_t i = decay.end + 1; i-- > 0;) {
    if (i < decay.end) sum += energies[onset + i];
    if (i >= limit) late = sum;
    decay.level[i] = sum;
  }
  for (std::size_t i = 0; i < onset; ++i) ahead += energies[i];
  decay.total = sum + ahead;
  const auto decibels = [&](double energy) { return 10.0 * std::log10(std::max(energy / decay.total, 1e-30)); };
  for (double& level : decay.level) level = decibels(level);
  band.range = -decibels(after);
  if (!(decay.total > 0.0)) {
    band.G.reason = band.C80.reason = band.T20.reason = "there is no energy";
  } else if (band.range < 20.0) {
    band.G.reason = band.C80.reason = band.T20.reason =
        fmt::format("the decay spans {:.1f} dB, 20 dB are needed", std::max(band.range, 0.0));
  } else {
    band.G.value = 10.0 * std::log10(decay.total / 0.01);  // of a free field at 10 m
    if (late > 0.0)
      band.C80.value = 10.0 * std::log10((decay.total - late) / late);
    else
      band.C80.reason = "no energy arrives after 80 ms";
    const auto line = band.range >= 35.0 ? fit_line(decay, -5.0, -25.0) : std::nullopt;
    if (line)
      band.T20.value = line->time;
    else
      band.T20.reason = fmt::format("the decay spans {:.1f} dB, 35 dB are needed", band.range);
  }
  return band;
}

std::optional<double> difference(const Figure& wave, const Figure& geometry, bool relative) {
  if (!wave.value || !geometry.value) return std::nullopt;
  return relative ? 100.0 * (*geometry.value / *wave.value - 1.0) : *geometry.value - *wave.value;
}

MeanDifference mean_difference(std::span<const OverlapPair> pairs, Figure BandMetrics::*figure, bool relative) {
  std::vector<double> all;
  for (const OverlapPair& pair : pairs)
    if (const auto one = difference(pair.wave.*figure, pair.geometry.*figure, relative)) all.push_back(*one);
  MeanDifference result;
  result.pairs = all.size();
  if (all.empty()) return result;
  const auto n = static_cast<double>(all.size());
  for (const double x : all) {
    result.mean += x / n;
    result.absolute += std::abs(x) / n;
  }
  if (all.size() < 2) return result;
  double squares = 0.0;
  for (const double x : all) squares += (x - result.mean) * (x - result.mean);
  result.error = std::sqrt(squares / (n - 1.0) / n);
  return result;
}

// Lowers `trust`, with the reason.
void lower(Agreement& agreement, Trust to, std::string reason) {
  agreement.trust = std::max(agreement.trust, to);
  agreement.reasons.push_back(std::move(reason));
}

void judge_mean(Agreement& agreement, const MeanDifference& of, const char* name, const char* unit, double step,
                double good, double fair) {
  const double printed = std::round(std::abs(of.mean) / step) * step;
  const double limit = printed > fair + 1e-9 ? fair : good;
  if (printed <= good + 1e-9) return;
  lower(agreement, limit == fair ? Trust::poor : Trust::fair,
        fmt::format("{} of geometry is off by more than {:g} {}", name, limit, unit));
}

void judge_room(Agreement& agreement, Crossover crossover, const OverlapRoom& room) {
  if (room.schroeder > 0.0 && crossover.from < 2.0 * room.schroeder) {
    std::string reason = fmt::format(
        "the crossover begins at {:.0f} Hz, {:.2g} times Schroeder's frequency: single "
        "modes are heard there, which geometry does not have",
        crossover.from, crossover.from / room.schroeder);
    if (crossover.from < room.schroeder)
      lower(agreement, Trust::poor, std::move(reason));
    else if (agreement.trust != Trust::good)
      agreement.reasons.push_back(std::move(reason));
  }
  if (room.relief && agreement.trust != Trust::good)
    agreement.reasons.emplace_back(
        "materials have scattering, which waves have not: they decay as between smooth walls, geometry as between "
        "rough ones");
  if (room.narrowest > 0.0 && crossover.to < room.sound_speed / (2.0 * room.narrowest))
    lower(agreement, Trust::poor,
          fmt::format("the room is {:.2g} m wide where it is narrowest, less than half a wavelength at {:.0f} Hz",
                      room.narrowest, crossover.to));
}

std::string printed(const MeanDifference& of, const char* name, const char* unit, int digits) {
  if (of.pairs == 0) return fmt::format("{} unknown", name);
  const double step = std::pow(10.0, digits), mean = std::round(of.mean * step) / step + 0.0;
  std::string text = fmt::format("{} {:+.{}f}", name, mean, digits);
  if (of.error) text += fmt::format(" ± {:.{}f}", *of.error, digits);
  return text + " " + unit;
}

}  // namespace

BandMetrics overlap_of_response(std::span<const double> response, double rate, Crossover crossover, double direct) {
  const double midband = midband_below(crossover);
  const auto onset = static_cast<std::size_t>(std::floor(direct * rate + 0.5));
  if (onset >= response.size()) throw std::invalid_argument("overlap: the response ends before the direct sound");
  if (octave_ringing(midband) * rate >= static_cast<double>(response.size()))
    return too_short(midband, octave_ringing(midband));
  OctaveSignal octave = OctaveBands(response, rate, midband).octave(midband, onset);
  octave.samples.resize(octave.end);
  return measure_octave(std::move(octave), midband, octave_ringing(midband), crossover.to, absolute_levels());
}

BandMetrics overlap_of_energies(std::span<const double> energies, double bin, Crossover crossover, double direct) {
  const double midband = midband_below(crossover), ringing = octave_ringing(midband);
  if (!(bin > 0.0) || direct >= bin * static_cast<double>(energies.size()))
    throw std::invalid_argument("overlap: the energies end before the direct sound");
  if (ringing >= bin * static_cast<double>(energies.size())) return too_short(midband, ringing);
  constexpr double samples_a_period = 32.0;  // as octaves of responses have at the least
  const auto factor = static_cast<std::size_t>(std::ceil(samples_a_period * midband * bin));
  const double rate = static_cast<double>(factor) / bin;
  std::vector<double> finer;
  finer.reserve(energies.size() * factor);
  for (const double e : energies) finer.insert(finer.end(), factor, e / static_cast<double>(factor));
  const std::size_t lead = octave_lead(rate, midband);
  const std::vector<double> samples = spread(finer, rate, midband, lead);
  const std::size_t onset = lead + static_cast<std::size_t>(std::floor(direct * rate + 0.5));
  return figures_of(samples, std::min(onset, samples.size() - 1), rate, remaining(energies));
}

double chance_spread(double bandwidth, double decay_time) {
  return 5.57 / std::sqrt(1.0 + 0.238 * bandwidth * decay_time);
}

const char* name_of(Trust trust) { return trust == Trust::good ? "good" : trust == Trust::fair ? "fair" : "poor"; }

Agreement agreement_of(std::span<const OverlapPair> pairs, Crossover crossover, const OverlapRoom& room) {
  Agreement agreement;
  agreement.low = 0.5 * crossover.from;
  agreement.high = crossover.from;
  agreement.G = mean_difference(pairs, &BandMetrics::G, false);
  agreement.C80 = mean_difference(pairs, &BandMetrics::C80, false);
  agreement.T20 = mean_difference(pairs, &BandMetrics::T20, true);
  double spreads = 0.0, count = 0.0;
  for (const OverlapPair& pair : pairs)
    if (pair.wave.T20.value) {
      spreads += chance_spread(agreement.high - agreement.low, *pair.wave.T20.value);
      count += 1.0;
    }
  if (count > 0.0) agreement.chance = spreads / count;
  agreement.trust = Trust::good;
  if (agreement.G.pairs == 0)
    lower(agreement, Trust::poor, "no pair of a source and a receiver has a G of both");
  else
    judge_mean(agreement, agreement.G, "G", "dB", 0.1, good_strength, fair_strength);
  if (agreement.T20.pairs == 0)
    lower(agreement, Trust::fair, "no pair of a source and a receiver has a T20 of both");
  else
    judge_mean(agreement, agreement.T20, "T20", "%", 1.0, good_decay, fair_decay);
  judge_room(agreement, crossover, room);
  return agreement;
}

std::string agreement_text(const Agreement& agreement) {
  std::string text = fmt::format("agreement, {:.0f} to {:.0f} Hz: {}, {}, {}: {}", agreement.low, agreement.high,
                                 printed(agreement.G, "G", "dB", 1), printed(agreement.C80, "C80", "dB", 1),
                                 printed(agreement.T20, "T20", "%", 0), name_of(agreement.trust));
  if (agreement.trust == Trust::good) return text;
  for (std::size_t i = 0; i < agreement.reasons.size(); ++i) text += (i == 0 ? ", as " : "; ") + agreement.reasons[i];
  return text;
}

}  // namespace fdtd
