#include "engine/responses/render_method.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "base/parallel_failure.hpp"
#include "engine/plan/record_tail.hpp"

namespace fdtd {

double numerical_frequency(double hertz, double record_rate, const FrequencyMap& map) {
  return map.grid(2.0 * std::numbers::pi * hertz / record_rate);
}

namespace {

using Complex = std::complex<double>;
constexpr double pi = std::numbers::pi;
constexpr double decayed_db = -60.0;

// The band that both rates allow, and the low-pass in it.
LowPass choose_low_pass(const Recording& recording, const RenderOptions& options, std::vector<std::string>& remarks) {
  // A map stretches time without limit towards its own: that of time dispersion at 95 % of it, 1/(pi T), by 3.2.
  constexpr double part_of_map = 0.95;
  const double record_limit =
      recording.sample_rate *
      (options.frequency_map.undoes() ? part_of_map * options.frequency_map.limit() / (2.0 * pi) : 0.5);
  double limit = std::min(record_limit, options.output_rate / 2.0);
  const char* by = limit < record_limit ? "the output rate" : "the simulation's rate";
  if (options.branch > 0.0 && options.branch < limit) {
    limit = options.branch;
    by = "the second branch of the stencil's waves";
  }
  if (options.bandwidth <= 0.0) return {limit / 1.1, limit};
  const double widest = limit / low_pass_least_ratio;
  if (options.bandwidth > widest * (1.0 + 1e-6))  // more than rounding
    remarks.push_back(fmt::format("the response is flat up to {:.6g} Hz, not {:.6g} Hz: {} allows no more", widest,
                                  options.bandwidth, by));
  const double pass = std::min(options.bandwidth, widest);
  return {pass, std::min(low_pass_stop_ratio * pass, limit)};
}

// s in which the integrations of directional channels decay to rounding: no root of B_n has a real part above -1, and
// time counts in R / c.
double integration_ringing(const std::optional<ChannelOptions>& channels) {
  double lowest = std::numeric_limits<double>::infinity();
  if (channels)
    for (std::size_t n = 1; n < channels->cut.size(); ++n) lowest = std::min(lowest, channels->cut[n]);
  if (channels)
    for (const ChannelFilter& one : channels->filters) lowest = std::min(lowest, one.cut);
  return lowest > 0.0 ? 16.0 / (2.0 * pi * lowest) : 0.0;
}

// Length of the transform and its leads: the low-pass extends `reach` to both sides; the warp delays the upper end of
// the band.
void choose_length(RenderMethod& m, const FrequencyMap& map, const std::optional<ChannelOptions>& channels) {
  const double reach = m.low_pass.reach() * m.output_rate;
  m.lead = static_cast<std::int64_t>(std::ceil(2.0 * reach));
  const auto pause = static_cast<std::int64_t>(std::ceil(integration_ringing(channels) * m.output_rate));
  const double stretch = map.largest_slope(2.0 * pi * m.low_pass.stop / m.record_rate);
  const double recorded = static_cast<double>(m.record_samples) / m.record_rate * m.output_rate;
  m.length = smooth_length(m.lead + static_cast<std::int64_t>(std::ceil(stretch * recorded + 2.0 * reach)) + pause + 1);
}

void choose_factors(RenderMethod& m, const RenderOptions& options) {
  const double bin = m.output_rate / static_cast<double>(m.length);
  for (std::int64_t k = 0; k <= m.length / 2 && static_cast<double>(k) * bin < m.low_pass.stop; ++k) {
    const double hertz = static_cast<double>(k) * bin;
    const double w = numerical_frequency(hertz, m.record_rate, options.frequency_map);
    const double theta = 2.0 * pi * static_cast<double>(k) / static_cast<double>(m.length);
    // (1 - e^{-i theta}) / (1 - e^{-iw})
    const Complex drive = k == 0 ? Complex(m.record_rate / m.output_rate)
                                 : std::polar(std::sin(theta / 2.0) / std::sin(w / 2.0), (w - theta) / 2.0);
    m.frequencies.push_back(w);
    m.factors.push_back(drive * m.low_pass.response(hertz));
  }
}

double mean_square(std::span<const double> x) {
  double sum = 0.0;
  for (const double v : x) sum += v * v;
  return x.empty() ? 0.0 : sum / static_cast<double>(x.size());
}

// Level of the record's last twentieth below its strongest twentieth, dB (-inf: silent; 0 for very short records): of
// everything, and of what lies below `pass` radians per sample alone.
struct EndLevel {
  double all = -std::numeric_limits<double>::infinity(), heard = all;
};

EndLevel end_level(std::span<const double> record, double pass) {
  constexpr std::size_t min_block = 64;  // samples, for a spectrum
  const std::size_t block = std::max<std::size_t>(1, record.size() / 20);
  const auto in_band = [&](std::span<const double> part) {
    std::vector<double> windowed(part.begin(), part.end());
    const double n = static_cast<double>(part.size());
    for (std::size_t i = 0; i < windowed.size(); ++i)
      windowed[i] *=
          std::sin(pi * (static_cast<double>(i) + 0.5) / n) * std::sin(pi * (static_cast<double>(i) + 0.5) / n);
    const std::int64_t length = smooth_length(static_cast<std::int64_t>(part.size()));
    const auto spectrum = real_fft(windowed, length);
    double sum = 0.0;
    for (std::size_t k = 0;
         k < spectrum.size() && 2.0 * pi * static_cast<double>(k) < pass * static_cast<double>(length); ++k)
      sum += std::norm(spectrum[k]);
    return sum;
  };
  const auto level = [&](const auto& energy) {
    double strongest = 0.0;
    for (std::size_t begin = 0; begin + block <= record.size(); begin += block)
      strongest = std::max(strongest, energy(record.subspan(begin, block)));
    const double last = energy(record.last(block));
    return strongest > 0.0 && last > 0.0 ? 10.0 * std::log10(last / strongest)
                                         : -std::numeric_limits<double>::infinity();
  };
  EndLevel found;
  found.all = level(mean_square);
  found.heard = block < min_block ? found.all : level(in_band);
  return found;
}

// The length of the responses at the output rate: that of the record, or the one that is requested.
void choose_samples(RenderMethod& m, double duration, std::vector<std::string>& remarks) {
  const auto recorded = static_cast<std::int64_t>(std::floor(
                            static_cast<double>(m.record_samples - 1) / m.record_rate * m.output_rate + 1e-6)) +
                        1;
  m.output_samples = recorded;
  if (!(duration > 0.0)) return;
  m.output_samples = std::max<std::int64_t>(1, std::llround(duration * m.output_rate));
  if (m.output_samples > recorded + 1)
    remarks.push_back(fmt::format("{:.6g} s are recorded, {:.6g} s are requested: the response ends early",
                                  static_cast<double>(m.record_samples) / m.record_rate, duration));
  m.output_samples = std::min(m.output_samples, recorded + 1);
}

// The strongest end of all channels.
EndLevel largest_end_level(const Records& record, std::size_t channels, double pass) {
  ParallelFailure failure;
  std::vector<EndLevel> levels(channels);
#pragma omp parallel for schedule(dynamic) if (channels > 8)
  for (std::size_t c = 0; c < channels; ++c) failure.guard([&] { levels[c] = end_level(record(c), pass); });
  failure.rethrow();
  EndLevel level;
  for (const EndLevel& one : levels) level = {std::max(level.all, one.all), std::max(level.heard, one.heard)};
  return level;
}

// Without a map of frequencies, a record that is longer than the output by the reach of the low-pass ends without
// an artefact. A map uses every sample for every other one, so an end that has not decayed must be faded out.
void choose_fade(RenderMethod& m, const EndLevel& level, bool mapped, std::vector<std::string>& remarks) {
  const double beyond =
      static_cast<double>(m.record_samples) / m.record_rate - static_cast<double>(m.output_samples) / m.output_rate;
  const bool end_is_heard = mapped || beyond < m.low_pass.reach() - 2.0 / m.record_rate;
  if (level.all > decayed_db && end_is_heard)
    m.fade = std::min(static_cast<std::int64_t>(m.low_pass.reach() * m.record_rate), m.record_samples / 10);
  // Ringing above the band is no part of the response.
  if (m.fade > 0 && level.heard > decayed_db)
    remarks.push_back(
        fmt::format("the record has not decayed: its end is {}. Its last {:.3g} ms are faded out and what would follow "
                    "is missing",
                    level.heard > -0.5 ? "as strong as any part of it"
                                       : fmt::format("{:.0f} dB below its strongest part", -level.heard),
                    1e3 * static_cast<double>(m.fade) / m.record_rate));
}

int lead_of(const RenderOptions& options, std::size_t channel) {
  if (!options.channels || options.channels->source_leads.empty()) return 0;
  return options.channels->source_leads[channel / options.channels->receiver_orders.size()];
}

// Subtracts the near field E_0 + E_1 Q from the spectrum of a record, the response to the drive (1, -1) or to that
// through `filter`.
void subtract(std::vector<Complex>& spectrum, const NearField& near, const ChannelFilter* filter,
              const RenderMethod& m) {
  std::vector<Complex> field;
  for (const double w : m.frequencies) {
    const double chord = 2.0 * std::sin(0.5 * w);
    field.push_back((near[0] + near[1] * chord * chord) * (1.0 - std::polar(1.0, -w)));
  }
  if (filter != nullptr) apply(*filter, field, m.bin());
  for (std::size_t k = 0; k < spectrum.size(); ++k) spectrum[k] -= field[k];
}

// Of a source in whose record all channels of a measured directivity are, that of its own.
const ChannelFilter* filter_in_record(const RenderOptions& options, std::size_t channel) {
  if (!options.channels) return nullptr;
  const std::size_t source = channel / options.channels->receiver_orders.size();
  return options.channels->sums(source) ? options.channels->filter_of(source) : nullptr;
}

double corner_of_channel(const RenderOptions& options, std::size_t channel) {
  return options.channels && !options.channels->near_corner.empty() ? options.channels->near_corner[channel] : 0.0;
}

NearField near_of_channel(const RenderOptions& options, std::size_t channel) {
  return options.channels && !options.channels->near_field.empty() ? options.channels->near_field[channel]
                                                                   : NearField{};
}

// `of` becomes fraction times itself plus (1 - fraction) times `with`, on spans of `length` samples, `stride` apart.
void mix(std::vector<double>& ir, const std::vector<ChannelMix>& mixes, std::size_t base, std::size_t stride,
         std::size_t length) {
  for (const ChannelMix& one : mixes) {
    double* const of = ir.data() + base + static_cast<std::size_t>(one.of) * stride;
    const double* const with = ir.data() + base + static_cast<std::size_t>(one.with) * stride;
    for (std::size_t n = 0; n < length; ++n) of[n] = one.fraction * of[n] + (1.0 - one.fraction) * with[n];
  }
}

// The transpose of mix().
void mix_back(std::vector<double>& by_ir, const std::vector<ChannelMix>& mixes, std::size_t base, std::size_t stride,
              std::size_t length) {
  for (auto one = mixes.rbegin(); one != mixes.rend(); ++one) {
    double* const of = by_ir.data() + base + static_cast<std::size_t>(one->of) * stride;
    double* const with = by_ir.data() + base + static_cast<std::size_t>(one->with) * stride;
    for (std::size_t n = 0; n < length; ++n) {
      const double by = of[n];
      of[n] = one->fraction * by;
      with[n] += (1.0 - one->fraction) * by;
    }
  }
}

}  // namespace

RenderMethod render_method(const Recording& recording, const RenderOptions& options, const Records& record,
                           std::vector<std::string>& remarks) {
  RenderMethod m;
  m.record_rate = recording.sample_rate;
  m.output_rate = options.output_rate;
  m.record_samples = recording.samples;
  m.low_pass = choose_low_pass(recording, options, remarks);
  choose_samples(m, options.duration, remarks);
  choose_length(m, options.frequency_map, options.channels);
  choose_factors(m, options);
  const std::size_t channels = recording.pressure.size() / static_cast<std::size_t>(m.record_samples);
  const double pass = numerical_frequency(m.low_pass.pass, m.record_rate, options.frequency_map);
  choose_fade(m, largest_end_level(record, channels, pass), options.frequency_map.undoes(), remarks);
  return m;
}

void ChannelRenderer::fade(std::span<double> record) const {
  for (std::int64_t i = 0; i < m_.fade; ++i)
    record[static_cast<std::size_t>(m_.record_samples - 1 - i)] *=
        0.5 - 0.5 * std::cos(pi * (static_cast<double>(i) + 0.5) / static_cast<double>(m_.fade));
}

void ChannelRenderer::lead(std::size_t channel, std::vector<Complex>& spectrum) const {
  const int lead = lead_of(options_, channel);
  for (std::size_t k = 0; lead > 0 && k < spectrum.size(); ++k)
    spectrum[k] *= std::polar(1.0, m_.frequencies[k] * static_cast<double>(lead));
}

void ChannelRenderer::multiply(std::size_t channel, std::vector<Complex>& spectrum) const {
  const std::vector<double>* const table = gain(channel);
  for (std::size_t k = 0; k < spectrum.size(); ++k)
    spectrum[k] *= m_.factors[k] / (table != nullptr ? gain_at(*table, m_.frequencies[k]) : 1.0);
  if (options_.channels)
    integrate_channel(spectrum, channel, corner_of_channel(options_, channel), *options_.channels, m_.bin());
}

std::vector<double> ChannelRenderer::response(std::size_t channel, std::span<const double> record) const {
  const NearField near = near_of_channel(options_, channel);
  const auto silent = [](double x) { return x == 0.0; };
  if (near == NearField{} && std::ranges::all_of(record, silent))  // it sent in the record of another
    return std::vector<double>(static_cast<std::size_t>(m_.output_samples), 0.0);
  std::vector<double> faded(record.begin(), record.end());
  fade(faded);
  auto spectrum = sampler_(faded);
  lead(channel, spectrum);
  if (near != NearField{}) subtract(spectrum, near, filter_in_record(options_, channel), m_);
  multiply(channel, spectrum);
  spectrum.resize(static_cast<std::size_t>(m_.length / 2 + 1), 0.0);
  auto signal = inverse_real_fft(spectrum, m_.length);
  // Times before the emission lie at the transform's end: bring them to the front.
  std::rotate(signal.begin(), signal.end() - m_.lead, signal.end());
  integrate_and_cut(signal, options_.low_cut, m_.output_rate);
  const auto begin = signal.begin() + m_.lead;
  return {begin, begin + m_.output_samples};
}

std::vector<double> ChannelRenderer::transposed(std::size_t channel, std::span<const double> by_response) const {
  std::vector<double> signal(static_cast<std::size_t>(m_.length), 0.0);
  std::ranges::copy(by_response, signal.begin() + m_.lead);
  // A causal filter's transpose is the filter on the reversed signal.
  std::ranges::reverse(signal);
  integrate_and_cut(signal, options_.low_cut, m_.output_rate);
  std::ranges::reverse(signal);
  std::rotate(signal.begin(), signal.begin() + m_.lead, signal.end());
  auto spectrum = transposed_inverse_real_fft(signal, m_.length);
  spectrum.resize(m_.frequencies.size());
  std::vector<Complex> factors(spectrum.size(), 1.0);
  lead(channel, factors);
  multiply(channel, factors);
  for (std::size_t k = 0; k < spectrum.size(); ++k) spectrum[k] *= std::conj(factors[k]);
  std::vector<double> by_record = sampler_.transposed(spectrum);
  fade(by_record);
  return by_record;
}

void mix_channels(std::vector<double>& ir, const ChannelOptions& channels, std::size_t length) {
  const std::size_t sources = channels.source_orders.size(), receivers = channels.receiver_orders.size();
  for (std::size_t s = 0; s < sources; ++s) mix(ir, channels.receiver_mixes, s * receivers * length, length, length);
  for (std::size_t r = 0; r < receivers; ++r) mix(ir, channels.source_mixes, r * length, receivers * length, length);
  for (const ChannelFilter& one : channels.filters) {
    if (one.into == one.source) continue;
    const double* const from = ir.data() + static_cast<std::size_t>(one.source) * receivers * length;
    double* const to = ir.data() + static_cast<std::size_t>(one.into) * receivers * length;
    for (std::size_t n = 0; n < receivers * length; ++n) to[n] += from[n];
  }
}

void transpose_mix(std::vector<double>& by_ir, const ChannelOptions& channels, std::size_t length) {
  const std::size_t sources = channels.source_orders.size(), receivers = channels.receiver_orders.size();
  for (auto one = channels.filters.rbegin(); one != channels.filters.rend(); ++one) {
    if (one->into == one->source) continue;
    double* const from = by_ir.data() + static_cast<std::size_t>(one->source) * receivers * length;
    const double* const to = by_ir.data() + static_cast<std::size_t>(one->into) * receivers * length;
    for (std::size_t n = 0; n < receivers * length; ++n) from[n] += to[n];
  }
  for (std::size_t r = 0; r < receivers; ++r)
    mix_back(by_ir, channels.source_mixes, r * length, receivers * length, length);
  for (std::size_t s = 0; s < sources; ++s)
    mix_back(by_ir, channels.receiver_mixes, s * receivers * length, length, length);
}

}  // namespace fdtd
