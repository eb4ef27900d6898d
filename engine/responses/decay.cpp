#include "engine/responses/decay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fdtd {
namespace {

constexpr double min_range = 10.0;  // dB above the noise that a fit needs

double mean(std::span<const double> values) {
  return values.empty() ? 0.0 : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double decibels(double ratio) { return 10.0 * std::log10(ratio); }

// The straight line y = at_zero + slope * x by least squares.
struct Line {
  double at_zero = 0.0, slope = 0.0, correlation_squared = 0.0;
};

// y(i) at x = first + i; at least two values.
template <class Values>
Line straight_line(std::size_t first, std::size_t last, const Values& y) {
  const double n = static_cast<double>(last - first);
  const double middle = 0.5 * (static_cast<double>(first) + static_cast<double>(last) - 1.0);
  double sum = 0.0;
  for (std::size_t i = first; i < last; ++i) sum += y(i);
  const double average = sum / n;
  double xx = 0.0, xy = 0.0, yy = 0.0;
  for (std::size_t i = first; i < last; ++i) {
    const double dx = static_cast<double>(i) - middle, dy = y(i) - average;
    xx += dx * dx;
    xy += dx * dy;
    yy += dy * dy;
  }
  const double slope = xx > 0.0 ? xy / xx : 0.0;
  return {average - slope * middle, slope, xx > 0.0 && yy > 0.0 ? xy * xy / (xx * yy) : 1.0};
}

// Mean energy of blocks of `width` samples, less the noise's, in dB.
std::vector<double> smooth_levels(std::span<const double> energy, std::size_t width, double noise = 0.0) {
  std::vector<double> levels;
  for (std::size_t i = 0; i + width <= energy.size(); i += width)
    levels.push_back(decibels(std::max(mean(energy.subspan(i, width)) - noise, 1e-300)));
  return levels;
}

struct Crossing {
  double at = 0.0;        // samples from the onset, where the decay's line meets the noise
  double noise = 0.0;     // energy per sample
  double at_start = 0.0;  // dB, the line at the onset
  double slope = 0.0;     // dB per sample, below 0
  // Energy of the line from a sample on.
  double after(double sample) const {
    return std::pow(10.0, 0.1 * (at_start + slope * sample)) / (-slope * std::log(10.0) / 10.0);
  }
};

// The line through the smoothed levels from `upper` down to `lower` dB; where they end above `lower`, through as many
// decibels above their end.
std::optional<Crossing> line_through(const std::vector<double>& levels, std::size_t width, double upper, double lower,
                                     double noise) {
  const auto peak = static_cast<std::size_t>(std::max_element(levels.begin(), levels.end()) - levels.begin());
  std::size_t last = peak;
  while (last < levels.size() && levels[last] >= lower) ++last;
  if (last == levels.size() && last > peak) upper = std::max(upper, levels[last - 1] + upper - lower);
  std::size_t first = last;
  while (first > peak && levels[first - 1] <= upper) --first;
  if (last - first < 4) first = last >= peak + 4 ? last - 4 : peak;
  if (last - first < 2) return std::nullopt;
  const Line line = straight_line(first, last, [&](std::size_t i) { return levels[i]; });
  // The mean of logarithms lies below the logarithm of the mean: the line's height is that of the energies.
  double height = 0.0;
  for (std::size_t i = first; i < last; ++i)
    height += std::pow(10.0, 0.1 * (levels[i] - line.at_zero - line.slope * static_cast<double>(i)));
  const double raised = line.at_zero + decibels(height / static_cast<double>(last - first));
  const double w = static_cast<double>(width);
  // Block i counts at its centre.
  Crossing crossing{0.0, noise, raised - 0.5 * line.slope, line.slope / w};
  if (!(crossing.slope < 0.0)) return std::nullopt;
  crossing.at = (decibels(std::max(noise, 1e-300)) - crossing.at_start) / crossing.slope;
  return crossing;
}

double level_of_bin(const LongEnergy& energy, std::size_t bin) {
  const std::size_t samples = std::min(energy.width, energy.binned - bin * energy.width);
  return decibels(std::max(energy.bins[bin] / static_cast<double>(samples), 1e-300));
}

// Energy per sample from sample `begin` on; a bin that it divides counts in part.
double mean_after(const LongEnergy& energy, std::size_t begin) {
  if (energy.binned == 0) return mean(energy.samples.subspan(begin));
  const std::size_t n = energy.samples.size() + energy.binned;
  double sum = 0.0;
  for (std::size_t i = begin; i < energy.samples.size(); ++i) sum += energy.samples[i];
  const std::size_t left_out = begin - std::min(begin, energy.samples.size());
  for (std::size_t bin = left_out / energy.width; bin < energy.bins.size(); ++bin) {
    const std::size_t at = bin * energy.width, samples = std::min(energy.width, energy.binned - at);
    const std::size_t skipped = left_out - std::min(left_out, at);
    sum += energy.bins[bin] * static_cast<double>(samples - skipped) / static_cast<double>(samples);
  }
  return sum / static_cast<double>(n - begin);
}

// Lundeby's iteration on the energy from the onset on. `beyond`: its line would have to be sought in the bins.
std::optional<Crossing> find_crossing(const LongEnergy& energy, double rate, double known_noise, bool& beyond) {
  const std::size_t n = energy.samples.size() + energy.binned;
  std::size_t width =
      std::clamp<std::size_t>(static_cast<std::size_t>(0.01 * rate), 1, std::max<std::size_t>(n / 50, 1));
  std::vector<double> levels = smooth_levels(energy.samples, width);
  if (levels.size() < 5) return std::nullopt;
  const double peak = *std::max_element(levels.begin(), levels.end());
  for (std::size_t bin = 0; bin < energy.bins.size(); ++bin) beyond = beyond || level_of_bin(energy, bin) > peak;
  // Values below -200 dB of the peak are limited: the logarithm of digital silence is infinite.
  const double floor = std::max(std::pow(10.0, (peak - 200.0) / 10.0), known_noise);
  double noise = std::max(mean_after(energy, n - n / 10), floor);
  if (peak < decibels(noise) + min_range) return std::nullopt;
  const auto line = [&](double upper, double lower) {
    const auto falls = std::any_of(std::max_element(levels.begin(), levels.end()), levels.end(),
                                   [&](double level) { return level < lower; });
    beyond = beyond || (energy.binned > 0 && !falls);
    return line_through(levels, width, upper, lower, noise);
  };
  auto crossing = line(peak, decibels(noise) + 8.0);
  for (int i = 0; crossing && i < 30; ++i) {
    const double per_10_dB = -10.0 / crossing->slope, all = static_cast<double>(n);
    width = std::clamp<std::size_t>(static_cast<std::size_t>(per_10_dB / 5.0), 1, std::max<std::size_t>(n / 20, 1));
    // Noise: from 10 dB of decay after the crossing, but at least the last tenth, less what the line leaves there.
    const double begin = std::floor(std::clamp(crossing->at + per_10_dB, 0.0, 0.9 * all));
    const double left = (crossing->after(begin) - crossing->after(all)) / (all - begin);
    noise = std::max(mean_after(energy, static_cast<std::size_t>(begin)) - left, floor);
    levels = smooth_levels(energy.samples, width, noise);
    if (levels.empty()) break;
    const double level = decibels(noise);
    const auto next = line(level + 28.0, level + 8.0);
    if (!next) break;
    const bool settled = std::abs(next->at - crossing->at) < 0.5;
    crossing = next;
    if (settled) break;
  }
  beyond = beyond || (crossing && energy.binned > 0 && crossing->at > static_cast<double>(energy.samples.size()));
  return crossing;
}

// Why no decay is found. One that still falls where the response ends is no noise: its own line states how long the
// response has to be.
std::string no_decay(const LongEnergy& energy, double rate) {
  constexpr double straight = 0.5, min_fall = 3.0, fall_of_T20 = 35.0;  // correlation squared; dB; dB
  const std::size_t n = energy.samples.size(), width = std::max<std::size_t>(n / 20, 1);
  const std::vector<double> levels = smooth_levels(energy.samples, width);
  const auto peak = static_cast<std::size_t>(std::max_element(levels.begin(), levels.end()) - levels.begin());
  if (energy.binned == 0 && levels.size() >= peak + 4) {
    const Line line = straight_line(peak, levels.size(), [&](std::size_t i) { return levels[i]; });
    const double fall = -line.slope * static_cast<double>(levels.size() - 1 - peak);
    if (line.correlation_squared > straight && fall > min_fall)
      return fmt::format(
          "the response ends before it has decayed: it falls by {:.1f} dB; T20 takes some {:.2g} s from the onset on",
          fall, static_cast<double>(width) * (static_cast<double>(peak) - fall_of_T20 / line.slope) / rate);
  }
  return "no decay exceeds the noise by 10 dB";
}

}  // namespace

std::optional<Decay> find_decay(LongEnergy energy, double rate, double known_noise) {
  Decay decay;
  decay.rate = rate;
  // Silence at the end is not part of the response.
  std::size_t bins = energy.bins.size();
  while (bins > 0 && energy.bins[bins - 1] <= 0.0) --bins;
  energy.bins = energy.bins.first(bins);
  energy.binned = std::min(energy.binned, bins * energy.width);
  std::size_t last = energy.samples.size();
  while (bins == 0 && last > 0 && energy.samples[last - 1] <= 0.0) --last;
  energy.samples = energy.samples.first(last);
  bool beyond = false;
  const auto crossing = find_crossing(energy, rate, known_noise, beyond);
  if (beyond) return std::nullopt;
  if (!crossing) {
    decay.reason = last == 0 ? "there is no energy" : no_decay(energy, rate);
    return decay;
  }
  const auto length = std::clamp<std::size_t>(static_cast<std::size_t>(std::max(crossing->at, 0.0)), 1, last);
  decay.end = length;
  decay.noise = crossing->noise;
  const double slope = crossing->slope * std::log(10.0) / 10.0;  // of the logarithm of energy, per sample
  decay.late_time = -1.0 / (slope * rate);
  decay.extrapolated = crossing->after(static_cast<double>(length));
  std::vector<double> remaining(length + 1);
  remaining[length] = decay.extrapolated;
  for (std::size_t i = length; i-- > 0;) remaining[i] = remaining[i + 1] + energy.samples[i] - decay.noise;
  decay.total = remaining[0] + std::max(0.0, energy.before - decay.noise * static_cast<double>(energy.samples_before));
  if (!(decay.total > 0.0)) {
    Decay none;
    none.rate = rate;
    none.reason = "no decay exceeds the noise by 10 dB";
    return none;
  }
  decay.range = decibels(std::max(remaining[0], 1e-300) / remaining[length]);
  decay.level.resize(length + 1);
  for (std::size_t i = 0; i <= length; ++i) decay.level[i] = decibels(std::max(remaining[i] / decay.total, 1e-30));
  return decay;
}

Decay find_decay(std::span<const double> energy, std::size_t start, double rate, double known_noise) {
  const auto ahead = energy.first(std::min(start, energy.size()));
  Decay decay = *find_decay(
      {energy.subspan(ahead.size()), {}, 1, 0, std::accumulate(ahead.begin(), ahead.end(), 0.0), ahead.size()}, rate,
      known_noise);
  decay.start = start;
  if (decay.reason.empty()) decay.end += start;
  return decay;
}

std::optional<DecayLine> fit_line(const Decay& decay, double upper, double lower) {
  const auto begin = decay.level.begin(), end = decay.level.end();
  const auto falls_to = [&](auto from, double limit) {
    return std::find_if(from, end, [limit](double level) { return level <= limit; });
  };
  const auto upper_at = falls_to(begin, upper), lower_at = falls_to(upper_at, lower);
  const auto first = static_cast<std::size_t>(upper_at - begin), last = static_cast<std::size_t>(lower_at - begin);
  if (last < first + 3 || last == decay.level.size()) return std::nullopt;
  const Line line = straight_line(first, last, [&](std::size_t i) { return decay.level[i]; });
  if (!(line.slope < 0.0)) return std::nullopt;
  return DecayLine{-60.0 / (line.slope * decay.rate), line.at_zero, 1000.0 * (1.0 - line.correlation_squared)};
}

}  // namespace fdtd
