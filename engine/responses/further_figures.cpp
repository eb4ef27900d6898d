#include "engine/responses/further_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/math/fourier.hpp"
#include "base/rounded_text.hpp"
#include "engine/responses/band_figures.hpp"
#include "engine/responses/spatial/interaural.hpp"
#include "engine/responses/spatial/lateral.hpp"

namespace fdtd {
namespace {

constexpr double support_early_from = 0.02, support_late_from = 0.1, latest = 1.0;  // s after the onset
constexpr double lowest_part = 125.0;  // Hz, octave: that of energy_windows.hpp

Figure without(std::string reason) { return {std::nullopt, std::move(reason)}; }

Figure level_of(double energy, double reference) {
  if (!(energy > 0.0 && reference > 0.0)) return without("there is no energy in one of its parts");
  return {10.0 * std::log10(energy / reference), {}};
}

// Energy of noise a second, which every part of the octave has.
double noise_rate(const Decay& decay) { return decay.noise * decay.rate; }

}  // namespace

FurtherFigures::FurtherFigures(std::span<const double> ir, double rate, std::size_t onset, double bandwidth,
                               double lowest, const MetricsOptions& options)
    : ir_(ir), rate_(rate), bandwidth_(bandwidth), onset_(static_cast<std::int64_t>(onset)), options_(options) {
  ahead_ = std::min(onset_, static_cast<std::int64_t>(std::ceil(counted_ahead(0.0, bandwidth) * rate)));
  const std::int64_t reach = filter_reach(rate);
  origin_ = std::max<std::int64_t>(0, onset_ - ahead_ - reach);
  const auto after = static_cast<std::int64_t>(std::ceil(support_late_from * rate));
  length_ = smooth_length(onset_ - origin_ + after + 2 * reach);
  const double begin = -static_cast<double>(ahead_) / rate, all = static_cast<double>(after + reach) / rate;
  direct_ = part(begin, direct_until);
  about_ = part(-static_cast<double>(onset_ - origin_) / rate, all);
  const std::optional<double> distance = options.with.distance;
  if (distance && *distance >= support_nearest && *distance <= support_farthest) {
    support_direct_ = part(begin, support_direct_until);
    early_ = part(support_early_from, support_late_from);
  }
  if (!options.with.lateral.empty()) lateral_.emplace(options.with.lateral, rate, lowest);
  if (!options.with.right_ear.empty()) right_ear_.emplace(options.with.right_ear, rate, lowest);
}

SignalPart FurtherFigures::part(double from, double to) const {
  const auto sample = [&](double seconds) { return onset_ + static_cast<std::int64_t>(std::llround(seconds * rate_)); };
  return {ir_, rate_, sample(from), sample(to), origin_, length_};
}

// The energy of the rest is that of all, T, less the direct part's, D, and what both have in common: with the direct part
// d and the response h, both filtered, |h - d|^2 = T + D - 2 d h.
Figure FurtherFigures::direct_ratio(const BandMetrics& band, double midband) const {
  const Decay& decay = *band.decay;
  if (!band.D50.value) return without(band.D50.reason);
  if (!((midband > 0.0 ? midband : bandwidth_) * direct_until >= 1.0))
    return without(fmt::format("a period of the {} is longer than the {:g} ms of the direct sound",
                               midband > 0.0 ? "octave" : "band", 1e3 * direct_until));
  const double noise = noise_rate(decay) * (direct_until + static_cast<double>(ahead_) / rate_);
  const double direct = filtered_product(*direct_, *direct_, midband);
  const double common = filtered_product(*direct_, *about_, midband);
  return level_of(direct - noise, decay.total + direct + noise - 2.0 * common);
}

void FurtherFigures::add_support(BandMetrics& band, double midband) const {
  const Decay& decay = *band.decay;
  const auto both = [&](std::string reason) { band.ST_early = band.ST_late = without(std::move(reason)); };
  if (!options_.with.distance) return both("the distance of source and receiver is not known");
  if (!support_direct_)
    return both(fmt::format("source and receiver are {:.3g} m apart, stage support is that at {:g} to {:g} m",
                            *options_.with.distance, support_nearest, support_farthest));
  if (!band.D50.value) return both(band.D50.reason);
  if (midband < 0.99 * lowest_part) return both("octaves from 125 Hz on have it");
  const double noise = noise_rate(decay);
  const double direct = filtered_product(*support_direct_, *support_direct_, midband) -
                        noise * (support_direct_until + static_cast<double>(ahead_) / rate_);
  const double end = static_cast<double>(decay.end) / decay.rate;  // s, where the decay meets the noise
  if (end < support_late_from)
    return both(fmt::format("the decay ends or reaches the noise {:.0f} ms after the onset", 1e3 * end));
  band.ST_early =
      level_of(filtered_product(*early_, *early_, midband) - noise * (support_late_from - support_early_from), direct);
  // After the decay's end its exponential rest.
  const double until = std::min(latest, end);
  const auto to = static_cast<std::int64_t>(std::llround((until + 2.0 * support_late_from) * rate_));
  const SignalPart whole(ir_, rate_, onset_ + std::llround(support_late_from * rate_),
                         onset_ + std::llround(until * rate_), onset_, smooth_length(to + 2 * filter_reach(rate_)));
  const double rest = end < latest && decay.late_time > 0.0
                          ? decay.extrapolated * (1.0 - std::exp(-(latest - end) / decay.late_time))
                          : 0.0;
  band.ST_late = level_of(filtered_product(whole, whole, midband) - noise * (until - support_late_from) + rest, direct);
}

void FurtherFigures::add_lateral(BandMetrics& band, const OctaveSignal& octave, std::size_t ahead) const {
  const auto all = [&](const std::string& reason) { band.LF = band.LFC = band.LJ = without(reason); };
  if (!lateral_) return all(options_.with.no_lateral);
  const double midband = exact_midband(band.centre);
  if (midband / std::numbers::sqrt2 < options_.with.lateral_from)
    return all(fmt::format("the figure-of-eight is valid from {} Hz on", rounded_text(options_.with.lateral_from, 3)));
  if (!band.D50.value) return all(band.D50.reason);
  const Decay& decay = *band.decay;
  const OctaveSignal lateral = lateral_->octave(midband, static_cast<std::size_t>(onset_));
  std::vector<double> energy(lateral.samples.begin() + static_cast<std::ptrdiff_t>(octave.aligned - ahead),
                             lateral.samples.begin() + static_cast<std::ptrdiff_t>(octave.end));
  for (double& x : energy) x *= x;
  const Decay late = find_decay(energy, ahead, octave.rate);
  const LateralEnergy sums =
      lateral_energy({std::span(octave.samples).first(octave.end), std::span(lateral.samples).first(octave.end),
                      octave.rate, octave.decimation, octave.aligned, ahead, decay.noise, late.noise});
  band.LF = {sums.early_lateral / sums.early, {}};
  band.LFC = {sums.early_product / sums.early, {}};
  constexpr double at_10m = 0.01;  // of a unit sample's energy, as for G
  if (!options_.scale)
    band.LJ = without("the scale of the response is not known");
  else if (!late.reason.empty())
    band.LJ = without("of the lateral response, " + late.reason);
  else
    band.LJ =
        level_of(late.total - sums.lateral_to_80ms, octave.flat_energy * at_10m / (*options_.scale * *options_.scale));
}

void FurtherFigures::add_interaural(BandMetrics& band, const OctaveSignal& octave, std::size_t ahead) const {
  if (!right_ear_) {
    band.IACC_early = band.IACC_late = band.IACC = without(options_.with.no_ears);
    return;
  }
  const double midband = exact_midband(band.centre);
  const OctaveSignal right = right_ear_->octave(midband, static_cast<std::size_t>(onset_));
  const auto first = octave.aligned - ahead;
  const auto place = [&](double seconds) {
    return std::min(octave.end, octave.aligned + static_cast<std::size_t>(std::llround(seconds * octave.rate)));
  };
  const auto of_part = [&](std::size_t begin, std::size_t end) {
    const auto cut = [&](const OctaveSignal& ear) { return std::span(ear.samples).subspan(begin, end - begin); };
    if (begin == end) return without("the response ends before");
    const auto value = interaural_coefficient(cut(octave), cut(right), octave.rate, midband * std::numbers::sqrt2);
    return value ? Figure{value, {}} : without("an ear is silent");
  };
  band.IACC_early = of_part(first, place(early_until));
  band.IACC_late = of_part(place(early_until), place(latest));
  band.IACC = of_part(first, place(latest));
}

void FurtherFigures::add(BandMetrics& band, const OctaveSignal& octave, double ringing) const {
  const auto ahead = static_cast<std::size_t>(
      std::min(std::ceil(counted_ahead(ringing, bandwidth_) * octave.rate), static_cast<double>(octave.aligned)));
  const double midband = exact_midband(band.centre);
  band.DRR = direct_ratio(band, midband);
  add_support(band, midband);
  add_lateral(band, octave, ahead);
  add_interaural(band, octave, ahead);
}

void FurtherFigures::add_to_all(BandMetrics& broadband) const {
  leave_further(broadband, "it is a figure of octaves");
  broadband.DRR = direct_ratio(broadband, 0.0);
}

}  // namespace fdtd
