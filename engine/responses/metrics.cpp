#include "engine/responses/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <stdexcept>

#include "engine/responses/octave_filter.hpp"
#include "engine/responses/render_filter.hpp"

namespace fdtd {
namespace {

constexpr double onset_share = 0.01;        // -20 dB in energy: ISO 3382-1, 5.3.2
constexpr double margin = 10.0;             // dB between the evaluated range and the noise: ISO 3382-1, 5.3.3
constexpr double early_range = 20.0;        // dB, for ratios of early to late energy
constexpr double min_ringings = 1.25;       // decay time over that of the band filter
constexpr double edge_drop = 1e-4;          // -40 dB in density: the end of the response's band
constexpr double free_field_energy = 0.01;  // of a unit sample at 10 m, when it is 1 at 1 m

Figure missing(std::string reason) { return {std::nullopt, std::move(reason)}; }

// Whether sample i may be the ringing of a band limit ahead of a later arrival: an ideal low-pass at `bandwidth` gives
// an arrival of height A no more than A / (pi u) at 1/2 u periods of the bandwidth before its peak, and its main lobe
// ends at u = 1.
bool rings_ahead(std::span<const double> ir, std::size_t i, double rate, double bandwidth) {
  constexpr double allowance = 1.2, farthest = 8.0;
  const double per_sample = 2.0 * bandwidth / rate;
  for (auto lag = static_cast<std::size_t>(std::ceil(1.0 / per_sample)); i + lag < ir.size(); ++lag) {
    const double u = per_sample * static_cast<double>(lag);
    if (u > farthest) return false;
    if (std::abs(ir[i]) * std::numbers::pi * u <= allowance * std::abs(ir[i + lag])) return true;
  }
  return false;
}

// `ir` is not silent.
std::size_t find_onset(std::span<const double> ir, double rate, double bandwidth, double earliest) {
  constexpr double oversampled = 0.4;  // bandwidth over rate below which the ringing has samples of its own
  double largest = 0.0;
  for (const double x : ir) largest = std::max(largest, x * x);
  const auto arrives =
      std::min(static_cast<std::size_t>(std::ceil(std::max(0.0, earliest * rate - 1e-6))), ir.size() - 1);
  const bool may_ring = bandwidth > 0.0 && bandwidth < oversampled * rate;
  for (std::size_t i = arrives; i < ir.size(); ++i)
    if (ir[i] * ir[i] >= onset_share * largest && !(may_ring && rings_ahead(ir, i, rate, bandwidth))) return i;
  return arrives;
}

// Whether the response ends in a pressure that neither oscillates nor decays: a closed room's static pressure without a
// low-cut, a ramp or a constant, or the offset of a recording.
bool ends_static(std::span<const double> ir) {
  constexpr double dominant = 0.5, lasting = 0.95, heard = 1e-4;
  const std::size_t tenth = ir.size() / 10;
  if (tenth < 10) return false;
  double largest = 0.0;
  for (const double x : ir) largest = std::max(largest, std::abs(x));
  std::array<double, 2> means{};
  for (std::size_t part = 0; part < 2; ++part) {
    const auto values = ir.subspan(ir.size() - (2 - part) * tenth, tenth);
    double sum = 0.0, squares = 0.0;
    for (const double x : values) {
      sum += x;
      squares += x * x;
    }
    means[part] = sum / static_cast<double>(tenth);
    if (!(means[part] * means[part] * static_cast<double>(tenth) > dominant * squares)) return false;
  }
  return means[0] * means[1] > 0.0 && std::abs(means[1]) >= lasting * std::abs(means[0]) &&
         std::abs(means[1]) > heard * largest;
}

std::vector<double> without_static_pressure(std::span<const double> ir, double rate) {
  std::vector<double> changes(ir.size());
  std::adjacent_difference(ir.begin(), ir.end(), changes.begin());
  integrate_and_cut(changes, analysis_low_cut, rate);
  return changes;
}

// A decay time from the line between two levels.
Figure decay_time(const Decay& decay, double upper, double lower, double ringing, double& nonlinearity) {
  if (!decay.reason.empty()) return missing(decay.reason);
  const double needed = margin - lower;
  if (decay.range < needed)
    return missing(fmt::format("the decay spans {:.0f} dB, {:.0f} dB are needed", decay.range, needed));
  const auto line = fit_line(decay, upper, lower);
  if (!line) return missing("the decay is shorter than three samples");
  if (line->time < min_ringings * ringing)
    return missing(fmt::format("the decay is as short as the ringing of the band's filter, {:.2g} s", ringing));
  nonlinearity = line->nonlinearity;
  return {line->time, {}};
}

// The energy per sample of one band, at 1/decimation of the response's rate.
struct BandEnergy {
  std::span<const double> samples;
  int decimation = 1;
};

// Energy up to `seconds` after the onset; the late energy is the rest of the total. The limit is that between samples
// of the response, which lie closer than these: the sample that it divides counts in part.
double early_energy(const BandEnergy& energy, const Decay& decay, double seconds) {
  const double limit =
      std::min(static_cast<double>(decay.start) + seconds * decay.rate + 0.5 * (1.0 - 1.0 / energy.decimation),
               static_cast<double>(decay.end));
  const auto whole = static_cast<std::size_t>(limit);
  const auto end = energy.samples.begin() + static_cast<std::ptrdiff_t>(whole);
  const double part = whole < energy.samples.size() ? (limit - static_cast<double>(whole)) * *end : 0.0;
  return std::accumulate(energy.samples.begin(), end, part);
}

Figure clarity(const BandEnergy& energy, const Decay& decay, double seconds, bool as_share) {
  if (!decay.reason.empty()) return missing(decay.reason);
  if (decay.range < early_range)
    return missing(fmt::format("the decay spans {:.0f} dB, {:.0f} dB are needed", decay.range, early_range));
  if (static_cast<double>(decay.end - decay.start) < seconds * decay.rate)
    return missing(fmt::format("the decay ends or reaches the noise {:.0f} ms after the onset",
                               1e3 * static_cast<double>(decay.end - decay.start) / decay.rate));
  const double early = early_energy(energy, decay, seconds), late = decay.total - early;
  if (as_share) return {early / decay.total, {}};
  if (!(late > 0.0 && early > 0.0)) return missing("there is no energy on one side of the limit");
  return {10.0 * std::log10(early / late), {}};
}

Figure centre_time(std::span<const double> energy, const Decay& decay) {
  if (!decay.reason.empty()) return missing(decay.reason);
  if (decay.range < early_range)
    return missing(fmt::format("the decay spans {:.0f} dB, {:.0f} dB are needed", decay.range, early_range));
  double moment = 0.0;
  for (std::size_t i = 0; i < decay.end; ++i)
    moment += energy[i] * (static_cast<double>(i) - static_cast<double>(decay.start));
  // Energy X that falls by e in tau from t_e on has the moment X (t_e + tau).
  const double at_end = static_cast<double>(decay.end - decay.start);
  moment += decay.extrapolated * (at_end + decay.late_time * decay.rate);
  return {moment / decay.total / decay.rate, {}};
}

Figure strength(const Decay& decay, double reference, const MetricsOptions& options) {
  if (!decay.reason.empty()) return missing(decay.reason);
  if (!options.scale) return missing("the scale of the response is not known");
  if (decay.range < early_range)
    return missing(fmt::format("the decay spans {:.0f} dB, {:.0f} dB are needed", decay.range, early_range));
  return {10.0 * std::log10(decay.total * *options.scale * *options.scale / (free_field_energy * reference)), {}};
}

// `octave`: the octave of the response, aligned at the onset; or the response itself.
BandMetrics measure_band(OctaveSignal octave, double centre, double ringing, const MetricsOptions& options) {
  for (double& x : octave.samples) x *= x;
  const std::span<const double> samples = octave.samples;
  const BandEnergy energy{samples, octave.decimation};
  const double reference = octave.flat_energy;
  BandMetrics band;
  band.centre = centre;
  Decay decay = find_decay(samples, octave.aligned, octave.rate,
                           options.step * options.step / 12.0 * reference * octave.decimation);
  band.range = decay.range;
  double unused = 0.0;
  band.EDT = decay_time(decay, 0.0, -10.0, ringing, unused);
  band.T20 = decay_time(decay, -5.0, -25.0, ringing, band.nonlinearity_T20);
  band.T30 = decay_time(decay, -5.0, -35.0, ringing, band.nonlinearity_T30);
  band.C50 = clarity(energy, decay, 0.05, false);
  band.C80 = clarity(energy, decay, 0.08, false);
  band.D50 = clarity(energy, decay, 0.05, true);
  band.Ts = centre_time(samples, decay);
  band.G = strength(decay, reference, options);
  if (band.T20.value && band.T30.value) {
    band.curvature.value = 100.0 * (*band.T30.value / *band.T20.value - 1.0);
  } else {
    band.curvature = missing("T20 or T30 is missing");
  }
  if (options.keep_decays) band.decay = std::move(decay);
  return band;
}

// A band whose filter rings for at least as long as the response lasts: what it gives is the filter's own.
BandMetrics too_short(double centre, double ringing) {
  BandMetrics band;
  band.centre = centre;
  const std::string reason =
      fmt::format("the response is no longer than the ringing of the band's filter, {:.2g} s", ringing);
  for (const NamedFigure& one : named_figures) band.*one.figure = missing(reason);
  band.curvature = missing("T20 or T30 is missing");
  return band;
}

// The upper edge of the highest third octave that is less than 40 dB below the strongest one.
double find_bandwidth(const OctaveBands& bands, double rate) {
  const double third = std::pow(10.0, 0.1), half = std::sqrt(third);
  std::vector<std::pair<double, double>> thirds;  // upper edge, density
  double densest = 0.0;
  for (double f = 20.0; f * half <= rate / 2.0; f *= third) {
    thirds.emplace_back(f * half, bands.density(f / half, f * half));
    densest = std::max(densest, thirds.back().second);
  }
  for (std::size_t i = thirds.size(); i-- > 0;)
    if (thirds[i].second > edge_drop * densest) return i + 1 == thirds.size() ? rate / 2.0 : thirds[i].first;
  return 0.0;
}

}  // namespace

std::vector<std::string> BandMetrics::reasons() const {
  std::vector<std::pair<std::string, std::string>> list;  // reason, names
  for (const NamedFigure& one : named_figures) {
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

Metrics measure(std::span<const double> ir, double rate, const MetricsOptions& options) {
  if (!(rate > 0.0)) throw std::invalid_argument("measure: the sample rate must be above 0");
  for (const double x : ir)
    if (!std::isfinite(x)) throw std::invalid_argument("measure: the response must be finite");
  Metrics metrics;
  metrics.sample_rate = rate;
  metrics.duration = static_cast<double>(ir.size()) / rate;
  metrics.valid_bandwidth = options.valid_bandwidth;
  std::vector<double> cut;
  if (rate > 4.0 * analysis_low_cut && (options.static_pressure || ends_static(ir))) {
    metrics.low_cut = analysis_low_cut;
    cut = without_static_pressure(ir, rate);
    ir = cut;
  }
  std::size_t onset = 0;
  // `carried`: the share of a unit sample's energy within the bandwidth of the response.
  const auto whole = [&](double carried) {
    return measure_band({{ir.begin(), ir.end()}, rate, 1, onset, ir.size(), carried}, 0.0, 0.0, options);
  };
  if (std::all_of(ir.begin(), ir.end(), [](double x) { return x == 0.0; })) {
    metrics.broadband = whole(1.0);
    return metrics;
  }
  const auto rings_longer = [&](double nominal) { return octave_ringing(exact_midband(nominal)) >= metrics.duration; };
  // Where the bandwidth has to be found, the spectrum must be as fine as the lowest octave's.
  const auto lowest = options.valid_bandwidth > 0.0 ? std::ranges::find_if_not(nominal_octaves(), rings_longer)
                                                    : nominal_octaves().begin();
  const OctaveBands filters(ir, rate,
                            exact_midband(lowest != nominal_octaves().end() ? *lowest : nominal_octaves().back()));
  if (metrics.valid_bandwidth <= 0.0) metrics.valid_bandwidth = find_bandwidth(filters, rate);
  onset = find_onset(ir, rate, metrics.valid_bandwidth, options.earliest);
  metrics.onset = static_cast<double>(onset) / rate;
  metrics.broadband = whole(std::min(1.0, 2.0 * metrics.valid_bandwidth / rate));
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
    metrics.bands.push_back(measure_band(std::move(octave), nominal, ringing, options));
  }
  return metrics;
}

}  // namespace fdtd
