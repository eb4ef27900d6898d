#include "engine/responses/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "engine/responses/band_figures.hpp"
#include "engine/responses/further_figures.hpp"
#include "engine/responses/octave_filter.hpp"
#include "engine/responses/render_filter.hpp"
#include "engine/responses/response_survey.hpp"
#include "engine/responses/speech/useful_ratio.hpp"

namespace fdtd {
namespace {

std::vector<double> without_static_pressure(std::span<const double> ir, double rate) {
  std::vector<double> changes(ir.size());
  std::adjacent_difference(ir.begin(), ir.end(), changes.begin());
  integrate_and_cut(changes, analysis_low_cut, rate);
  return changes;
}

bool all_zero(std::span<const double> signal) {
  return std::ranges::all_of(signal, [](double x) { return x == 0.0; });
}

StaticEnd end_of(std::span<const double> ir) {
  StaticEnd end(ir.size());
  for (std::size_t i = 0; i < ir.size(); ++i) end.add(ir[i], i);
  return end;
}

// `ir` is not silent.
std::size_t find_onset(std::span<const double> ir, double rate, double bandwidth, double earliest) {
  double largest = 0.0;
  for (const double x : ir) largest = std::max(largest, x * x);
  const std::size_t arrives = sample_after(earliest, rate, ir.size());
  const auto first = [&](double noise) {
    return first_arrival(ir, arrives, ir.size(), largest, rate, bandwidth, noise);
  };
  const double noise = end_of(ir).end_power();
  if (const auto found = first(noise)) return *found;
  return first(0.0).value_or(arrives);
}

}  // namespace

std::vector<std::string> BandMetrics::reasons() const {
  std::vector<std::pair<std::string, std::string>> list;  // reason, names
  for (const NamedFigure& one : std::span(named_figures).first(main_figures)) {
    const Figure& figure = this->*one.figure;
    if (figure.value) continue;
    const auto same = std::find_if(list.begin(), list.end(), [&](const auto& t) { return t.first == figure.reason; });
    if (same == list.end())
      list.emplace_back(figure.reason, one.name);
    else
      same->second += std::string(", ") + one.name;
  }
  std::vector<std::string> lines;
  for (const auto& [reason, names] : list) lines.push_back(names + ": " + reason);
  return lines;
}

std::vector<Doubt> BandMetrics::doubts() const {
  std::vector<Doubt> list;
  const auto beyond = [](const Figure& figure, double most) {
    return figure.value && std::round(10.0 * *figure.value) > 10.0 * most;
  };
  const std::string bent = "the decay is bent: curvature above 10 % (ISO 3382-2, annex B)",
                    uneven = "the decay is not straight: non-linearity above 10 per mille (ISO 3382-2, annex B)",
                    noisy = "the decay spans less than 25 dB";
  if (beyond(curvature, curvature_limit))
    for (const char* name : {"T20", "T30", "curvature"}) list.push_back({name, bent});
  if (beyond(nonlinearity_T20, nonlinearity_limit))
    for (const char* name : {"T20", "nonlinearity_T20"}) list.push_back({name, uneven});
  if (beyond(nonlinearity_T30, nonlinearity_limit))
    for (const char* name : {"T30", "nonlinearity_T30"}) list.push_back({name, uneven});
  if (range < sure_range)
    for (const NamedFigure& one : named_figures)
      for (const char* name : {"C50", "C80", "D50", "Ts"})
        if (std::string_view(one.name) == name && (this->*one.figure).value) list.push_back({one.name, noisy});
  return list;
}

namespace {

// Of speech of a level; its reason is that of a missing octave or level.
void add_useful_ratio(Metrics& metrics, const MetricsOptions& options, const SpeechLevels& levels,
                      std::span<BandMetrics* const> octaves) {
  if (!options.speech) {
    metrics.U50.reason = "the level of speech is needed";
    return;
  }
  UsefulSound sound{levels.speech, {}, options.speech->noise};
  for (std::size_t k = 0; k < speech_octave_count; ++k) {
    if (octaves[k] == nullptr || !octaves[k]->G.value || !octaves[k]->D50.value) {
      if (metrics.U50.reason.empty())
        metrics.U50.reason = fmt::format("the octave of {:g} Hz has no D50 or no G", speech_octaves[k]);
      continue;
    }
    sound.early[k] = *octaves[k]->D50.value;
    if (const double ratio = useful_ratio(sound, k); std::isfinite(ratio)) octaves[k]->U50 = ratio;
  }
  if (!metrics.U50.reason.empty()) return;
  if (const double ratio = useful_ratio(sound); std::isfinite(ratio))
    metrics.U50.value = ratio;
  else
    metrics.U50.reason = "there is no sound after the early one, and no noise";
}

void add_speech_transmission(Metrics& metrics, const MetricsOptions& options) {
  metrics.speech = options.speech;
  SpeechOctaves mti{}, stipa{};
  SpeechLevels levels;
  const auto missing = [&](std::string reason) {
    if (metrics.STI.reason.empty()) metrics.STI.reason = std::move(reason);
  };
  std::array<BandMetrics*, speech_octave_count> octaves{};
  for (std::size_t k = 0; k < speech_octave_count; ++k) {
    const double nominal = speech_octaves[k];
    const auto at = std::ranges::find(metrics.bands, nominal, &BandMetrics::centre);
    if (at == metrics.bands.end()) {
      missing(metrics.bands.empty() && metrics.broadband.Ts.reason != ""
                  ? metrics.broadband.Ts.reason
                  : fmt::format("the response is valid up to {:.6g} Hz, the octave of {:g} Hz reaches to {:.0f} Hz",
                                metrics.valid_bandwidth, speech_octaves.back(),
                                exact_midband(speech_octaves.back()) * std::numbers::sqrt2));
    } else if (!at->modulation) {
      missing(fmt::format("octave of {:g} Hz: {}", nominal, at->Ts.reason));
    } else {
      octaves[k] = &*at;
      if (!options.speech) at->MTI = mti[k] = modulation_transfer_index(*at->modulation);
      stipa[k] = stipa_modulation_index(k, *at->modulation);
      if (options.speech && !at->G.value)
        missing(fmt::format("the level of speech is not known, for G is not: {}", at->G.reason));
      // G is relative to 10 m, 20 dB below the level at 1 m.
      levels.speech[k] =
          options.speech ? options.speech->level + speech_spectrum[k] - 20.0 + at->G.value.value_or(0.0) : 0.0;
    }
  }
  add_useful_ratio(metrics, options, levels, octaves);
  metrics.STIPA.reason = metrics.STI.reason;
  if (!metrics.STI.reason.empty()) return;
  if (options.speech) {
    levels.noise = options.speech->noise;
    const SpeechOctaves factors = level_factors(levels);
    for (std::size_t k = 0; k < speech_octave_count; ++k) {
      octaves[k]->MTI = mti[k] = modulation_transfer_index(*octaves[k]->modulation, factors[k]);
      stipa[k] = stipa_modulation_index(k, *octaves[k]->modulation, factors[k]);
    }
  }
  metrics.STI.value = speech_transmission_index(mti);
  metrics.STIPA.value = speech_transmission_index(stipa);
}

}  // namespace

std::optional<double> average_of(const std::vector<BandMetrics>& bands, const AveragedFigure& averaged) {
  double sum = 0.0, count = 0.0;
  for (const double nominal : nominal_octaves()) {
    if (nominal < averaged.from || nominal > averaged.to) continue;
    const auto at = std::ranges::find(bands, nominal, &BandMetrics::centre);
    if (at == bands.end() || !((*at).*averaged.figure).value) return std::nullopt;
    const double value = *((*at).*averaged.figure).value;
    sum += averaged.of_energies ? std::pow(10.0, 0.1 * value) : value;
    ++count;
  }
  return averaged.of_energies ? 10.0 * std::log10(sum / count) : sum / count;
}

void conclude(Metrics& metrics, const MetricsOptions& options) {
  add_speech_transmission(metrics, options);
  metrics.lateral_axis = options.with.lateral_axis;
  for (BandMetrics& band : metrics.bands) band.from = origin_of(band.centre, options.parts);
  metrics.broadband.from = origin_of(0.0, options.parts);
}

namespace {

void check_signals(std::span<const double> ir, double rate, const Companions& with) {
  if (!(rate > 0.0)) throw std::invalid_argument("measure: the sample rate must be above 0");
  for (const std::span<const double> one : {ir, with.lateral, with.right_ear})
    if (!std::ranges::all_of(one, [](double x) { return std::isfinite(x); }))
      throw std::invalid_argument("measure: the response must be finite");
  for (const std::span<const double> other : {with.lateral, with.right_ear})
    if (!other.empty() && other.size() != ir.size())
      throw std::invalid_argument("measure: companions must be as long as the response");
}

// The response without offset or static pressure, as found in `metrics`; empty where it has neither.
std::vector<double> without_offset(std::span<const double> ir, double rate, const MetricsOptions& options,
                                   Metrics& metrics) {
  const StaticEnd end = end_of(ir);
  if (!options.static_pressure) metrics.offset = end.offset();
  std::vector<double> cut;
  if (metrics.offset != 0.0) {
    cut.assign(ir.begin(), ir.end());
    for (double& x : cut) x -= metrics.offset;
  } else if (rate > 4.0 * analysis_low_cut && (options.static_pressure || end.found())) {
    metrics.low_cut = analysis_low_cut;
    cut = without_static_pressure(ir, rate);
  }
  return cut;
}

// That of the ear that sound reaches first.
std::size_t onset_of(std::span<const double> ir, double rate, double bandwidth, const MetricsOptions& options) {
  const std::size_t onset = find_onset(ir, rate, bandwidth, options.earliest);
  const std::span<const double> right = options.with.right_ear;
  return right.empty() || all_zero(right) ? onset
                                          : std::min(onset, find_onset(right, rate, bandwidth, options.earliest));
}

}  // namespace

Metrics measure(std::span<const double> ir, double rate, const MetricsOptions& options) {
  check_signals(ir, rate, options.with);
  Metrics metrics;
  metrics.sample_rate = rate;
  metrics.duration = static_cast<double>(ir.size()) / rate;
  metrics.valid_bandwidth = options.valid_bandwidth;
  const std::vector<double> cut = without_offset(ir, rate, options, metrics);
  if (!cut.empty()) ir = cut;
  std::size_t onset = 0;
  MetricsOptions keeping = options;  // the decay, until the figures that need it are there
  keeping.keep_decays = true;
  const auto finished = [&](BandMetrics band) {
    if (!options.keep_decays) band.decay.reset();
    return band;
  };
  // `carried`: the fraction of a unit sample's energy within the bandwidth of the response.
  const auto whole = [&](double carried) {
    return measure_octave({{ir.begin(), ir.end()}, rate, 1, onset, ir.size(), carried}, 0.0, 0.0,
                          metrics.valid_bandwidth, keeping);
  };
  if (all_zero(ir)) {
    metrics.broadband = finished(whole(1.0));
    conclude(metrics, options);
    return metrics;
  }
  const auto rings_longer = [&](double nominal) { return octave_ringing(exact_midband(nominal)) >= metrics.duration; };
  // Where the bandwidth has to be found, the spectrum must be as fine as the lowest octave's.
  const auto first = options.valid_bandwidth > 0.0 ? std::ranges::find_if_not(nominal_octaves(), rings_longer)
                                                   : nominal_octaves().begin();
  const double lowest = exact_midband(first != nominal_octaves().end() ? *first : nominal_octaves().back());
  const OctaveBands filters(ir, rate, lowest);
  if (metrics.valid_bandwidth <= 0.0)
    metrics.valid_bandwidth = find_bandwidth([&](double low, double high) { return filters.density(low, high); }, rate);
  onset = onset_of(ir, rate, metrics.valid_bandwidth, options);
  metrics.onset = static_cast<double>(onset) / rate;
  const FurtherFigures further(ir, rate, onset, metrics.valid_bandwidth, lowest, options);
  metrics.broadband = whole(std::min(1.0, 2.0 * metrics.valid_bandwidth / rate));
  further.add_to_all(metrics.broadband);
  metrics.broadband = finished(std::move(metrics.broadband));
  const double highest = std::min(metrics.valid_bandwidth, rate / 2.0) * 1.01;  // bandwidths are rounded
  for (const double nominal : nominal_octaves()) {
    const double midband = exact_midband(nominal);
    if (midband * std::numbers::sqrt2 > highest) break;
    const double ringing = octave_ringing(midband);
    if (rings_longer(nominal)) {
      metrics.bands.push_back(too_short(nominal, ringing));
      continue;
    }
    OctaveSignal octave = filters.octave(midband, onset);
    // Where the response is cut off, the ringing of the filter after its end would look like a steep decay.
    octave.samples.resize(octave.end);
    BandMetrics band = measure_octave(octave, nominal, ringing, metrics.valid_bandwidth, keeping);
    further.add(band, octave, ringing);
    metrics.bands.push_back(finished(std::move(band)));
  }
  conclude(metrics, options);
  return metrics;
}

}  // namespace fdtd
