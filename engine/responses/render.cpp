#include "engine/responses/render.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>
#include <span>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/math/fourier.hpp"
#include "base/parallel_failure.hpp"
#include "engine/plan/record_tail.hpp"
#include "engine/responses/render_filter.hpp"
#include "engine/responses/residual_tones.hpp"
#include "engine/transducers/harmonic_ball.hpp"

namespace fdtd {

namespace {

using Complex = std::complex<double>;
constexpr double pi = std::numbers::pi;
constexpr double decayed_db = -60.0;
constexpr std::size_t worth_threads = 200000;  // samples of all channels: fewer take less time than threads that wait

// The parts of a rendering that all channels share.
struct Method {
  double record_rate = 0.0, output_rate = 0.0;
  std::int64_t record_samples = 0, output_samples = 0;
  std::int64_t lead = 0;    // output samples before the emission, kept until the end
  std::int64_t length = 0;  // of the transform at the output rate
  std::int64_t fade = 0;    // record samples
  LowPass low_pass;
  std::vector<double> frequencies;  // numerical ones, of output bins 0, 1, ... up to the end of the low-pass
  std::vector<Complex> factors;     // of D(w), without the gain
  double bin() const { return output_rate / static_cast<double>(length); }  // Hz
};

// Numerical frequency in radians per step of a true frequency.
double numerical_frequency(double hertz, double record_rate, const FrequencyMap& map) {
  return map.grid(2.0 * pi * hertz / record_rate);
}

// Checks that sizes and indices are consistent: they may come from a file.
void check_channels(const Recording& recording, const ChannelOptions& channels) {
  const auto fits = [](const std::vector<int>& orders, const std::vector<ChannelMix>& mixes, std::size_t count) {
    const auto inside = [&](int i) { return i >= 0 && static_cast<std::size_t>(i) < count; };
    return orders.size() == count &&
           std::all_of(orders.begin(), orders.end(), [](int n) { return n >= 0 && n <= highest_ball_order; }) &&
           std::all_of(mixes.begin(), mixes.end(), [&](const ChannelMix& m) { return inside(m.of) && inside(m.with); });
  };
  int largest = 0;
  for (const auto* orders : {&channels.source_orders, &channels.receiver_orders})
    if (!orders->empty()) largest += *std::max_element(orders->begin(), orders->end());
  if (!fits(channels.source_orders, channels.source_mixes, recording.sources.size()) ||
      !fits(channels.receiver_orders, channels.receiver_mixes, recording.receivers.size()) ||
      channels.cut.size() <= static_cast<std::size_t>(std::max(0, largest)) || !(channels.sound_speed > 0.0) ||
      (!channels.source_leads.empty() && channels.source_leads.size() != recording.sources.size()) ||
      (!channels.near_field.empty() &&
       channels.near_field.size() != recording.sources.size() * recording.receivers.size()) ||
      (!channels.near_corner.empty() &&
       channels.near_corner.size() != recording.sources.size() * recording.receivers.size()) ||
      !std::all_of(channels.cut.begin() + 1, channels.cut.end(), [](double cut) { return cut > 0.0; }) ||
      !std::ranges::all_of(channels.filters, [&](const ChannelFilter& one) {
        const auto inside = [&](int i) { return i >= 0 && static_cast<std::size_t>(i) < recording.sources.size(); };
        return inside(one.source) && inside(one.into) && one.cut > 0.0 && !one.frequencies.empty() &&
               one.values.size() == one.frequencies.size();
      }))
    throw Error(Status::scene, "the channels of the record do not fit its sources and receivers");
}

void check(const Recording& recording, const RenderOptions& options) {
  const auto refuse = [](const std::string& what) { throw Error(Status::scene, what); };
  if (!(options.output_rate > 0.0)) refuse(fmt::format("output rate {} Hz is not above 0", options.output_rate));
  if (!(recording.sample_rate > 0.0)) refuse(fmt::format("record rate {} Hz is not above 0", recording.sample_rate));
  if (!(options.low_cut >= 0.0 && options.low_cut < options.output_rate / 2.0))
    refuse(fmt::format("low cut {} Hz is not between 0 and half the output rate of {} Hz", options.low_cut,
                       options.output_rate));
  if (!(options.bandwidth >= 0.0)) refuse(fmt::format("bandwidth {} Hz is negative", options.bandwidth));
  if (!(options.branch >= 0.0)) refuse(fmt::format("second branch at {} Hz is negative", options.branch));
  if (!(options.duration >= 0.0)) refuse(fmt::format("duration {} s is negative", options.duration));
  if (recording.samples < 1) refuse("the record is empty");
  const auto channels = recording.sources.size() * recording.receivers.size();
  if (!options.gain.tables.empty() &&
      (options.gain.of.size() != channels ||
       std::any_of(options.gain.of.begin(), options.gain.of.end(),
                   [&](std::uint32_t table) { return table >= options.gain.tables.size(); })))
    refuse(fmt::format("{} tables of gain do not belong to {} channels", options.gain.tables.size(), channels));
  for (const auto& table : options.gain.tables)
    if (table.size() < 2 || !std::all_of(table.begin(), table.end(), [](double g) { return g > 0.0; }))
      refuse("a table of gain needs at least two values, all above 0");
  if (options.channels) check_channels(recording, *options.channels);
  if (recording.pressure.size() != channels * static_cast<std::size_t>(recording.samples))
    refuse(fmt::format("the record has {} values for {} channels of {} samples", recording.pressure.size(), channels,
                       recording.samples));
  for (std::size_t i = 0; i < recording.pressure.size(); ++i)
    if (!std::isfinite(recording.pressure[i]))
      throw Error(Status::numerical, fmt::format("the record is not finite from step {} on",
                                                 i % static_cast<std::size_t>(recording.samples)));
}

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
void choose_length(Method& m, const FrequencyMap& map, const std::optional<ChannelOptions>& channels) {
  const double reach = m.low_pass.reach() * m.output_rate;
  m.lead = static_cast<std::int64_t>(std::ceil(2.0 * reach));
  const auto pause = static_cast<std::int64_t>(std::ceil(integration_ringing(channels) * m.output_rate));
  const double stretch = map.largest_slope(2.0 * pi * m.low_pass.stop / m.record_rate);
  const double recorded = static_cast<double>(m.record_samples) / m.record_rate * m.output_rate;
  m.length = smooth_length(m.lead + static_cast<std::int64_t>(std::ceil(stretch * recorded + 2.0 * reach)) + pause + 1);
}

void choose_factors(Method& m, const RenderOptions& options) {
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

int order_of(const RenderOptions& options, std::size_t channel) {
  if (!options.channels) return 0;
  const auto& receivers = options.channels->receiver_orders;
  return options.channels->source_orders[channel / receivers.size()] + receivers[channel % receivers.size()];
}

int lead_of(const RenderOptions& options, std::size_t channel) {
  if (!options.channels || options.channels->source_leads.empty()) return 0;
  return options.channels->source_leads[channel / options.channels->receiver_orders.size()];
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

// The residual tones of one channel from just below the bandwidth on, as its response would have them.
std::vector<ResidualTone> tones_of(const Method& m, const RenderOptions& options, const std::vector<double>* gain,
                                   std::span<const double> record, std::span<const double> ir) {
  constexpr double beside = 0.95;  // of the bandwidth: the lobes of a tone at its edge
  double peak = 0.0;
  std::vector<double> cut(ir.begin(), ir.end());
  if (options.low_cut <= 0.0) {  // a closed room's static pressure is no sound: as analysed, behind a low-cut
    std::adjacent_difference(ir.begin(), ir.end(), cut.begin());
    integrate_and_cut(cut, std::min(20.0, m.output_rate / 8.0), m.output_rate);
  }
  for (const double x : cut) peak = std::max(peak, std::abs(x));
  std::vector<ResidualTone> tones;
  if (!(peak > 0.0)) return tones;
  const FrequencyMap& map = options.frequency_map;
  for (const RecordTone& tone :
       residual_tones(record, numerical_frequency(beside * m.low_pass.pass, m.record_rate, map))) {
    const double w = tone.frequency;
    const double hertz = m.record_rate / (2.0 * pi) * map.truth(w);
    // The record answers to the drive (1, -1), and its samples are of another rate.
    const double amplitude = tone.amplitude / (2.0 * std::sin(w / 2.0)) * m.record_rate / m.output_rate /
                             (gain != nullptr ? gain_at(*gain, w) : 1.0);
    const double level = 20.0 * std::log10(amplitude / peak);
    if (level < residual_limit) continue;
    tones.push_back(
        {hertz, level, level + 20.0 * std::log10(std::max(m.low_pass.response(hertz), 1e-20)) < residual_limit});
  }
  return tones;
}

// The strongest tone that is in a response, if there is one.
void add_tone_remark(Rendered& out) {
  const ResidualTone* strongest = nullptr;
  for (const auto& tones : out.tones)
    for (const ResidualTone& tone : tones)
      if (!tone.removed && (strongest == nullptr || tone.level > strongest->level)) strongest = &tone;
  if (strongest == nullptr) return;
  out.remarks.push_back(fmt::format(
      "a tone at {:.5g} Hz, {:.0f} dB below the response's peak, rings on when what is around it has decayed: "
      "figures of the highest octave may be too long (receivers[].residual_tones lists all)",
      strongest->frequency, -strongest->level));
}

// Subtracts the near field E_0 + E_1 Q from the spectrum of a record, the response to the drive (1, -1) or to that
// through `filter`.
void subtract(std::vector<Complex>& spectrum, const NearField& near, const ChannelFilter* filter, const Method& m) {
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

std::vector<double> render_channel(const Method& m, const SpectrumSampler& sampler, const RenderOptions& options,
                                   const std::vector<double>* gain, std::size_t channel, const NearField& near,
                                   double corner, std::span<const double> record) {
  const auto silent = [](double x) { return x == 0.0; };
  if (near == NearField{} && std::ranges::all_of(record, silent))  // it sent in the record of another
    return std::vector<double>(static_cast<std::size_t>(m.output_samples), 0.0);
  std::vector<double> faded(record.begin(), record.end());
  for (std::int64_t i = 0; i < m.fade; ++i)
    faded[static_cast<std::size_t>(m.record_samples - 1 - i)] *=
        0.5 - 0.5 * std::cos(pi * (static_cast<double>(i) + 0.5) / static_cast<double>(m.fade));
  auto spectrum = sampler(faded);
  const int lead = lead_of(options, channel);
  for (std::size_t k = 0; lead > 0 && k < spectrum.size(); ++k)
    spectrum[k] *= std::polar(1.0, m.frequencies[k] * static_cast<double>(lead));
  if (near != NearField{}) subtract(spectrum, near, filter_in_record(options, channel), m);
  for (std::size_t k = 0; k < spectrum.size(); ++k)
    spectrum[k] *= m.factors[k] / (gain != nullptr ? gain_at(*gain, m.frequencies[k]) : 1.0);
  if (options.channels) integrate_channel(spectrum, channel, corner, *options.channels, m.bin());
  spectrum.resize(static_cast<std::size_t>(m.length / 2 + 1), 0.0);
  auto signal = inverse_real_fft(spectrum, m.length);
  // Times before the emission lie at the transform's end: bring them to the front.
  std::rotate(signal.begin(), signal.end() - m.lead, signal.end());
  integrate_and_cut(signal, options.low_cut, m.output_rate);
  const auto begin = signal.begin() + m.lead;
  return {begin, begin + m.output_samples};
}

using Records = std::function<std::span<const double>(std::size_t channel)>;

// The length of the responses at the output rate: that of the record, or the one that is requested.
void choose_samples(Method& m, double duration, std::vector<std::string>& remarks) {
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
void choose_fade(Method& m, const EndLevel& level, bool mapped, std::vector<std::string>& remarks) {
  const double beyond =
      static_cast<double>(m.record_samples) / m.record_rate - static_cast<double>(m.output_samples) / m.output_rate;
  const bool end_is_heard = mapped || beyond < m.low_pass.reach() - 2.0 / m.record_rate;
  if (level.all > decayed_db && end_is_heard)
    m.fade = std::min(static_cast<std::int64_t>(m.low_pass.reach() * m.record_rate), m.record_samples / 10);
  // Ringing above the band is no part of the response.
  if (m.fade > 0 && level.heard > decayed_db)
    remarks.push_back(
        fmt::format("the record has not decayed: its end is {:.0f} dB below its strongest part. Its last {:.3g} ms are "
                    "faded out and what would follow is missing",
                    -level.heard, 1e3 * static_cast<double>(m.fade) / m.record_rate));
}

void render_channels(Rendered& out, const Method& m, const RenderOptions& options, const Records& record) {
  const std::size_t channels = out.tones.size();
  const auto length = static_cast<std::size_t>(m.output_samples);
  const SpectrumSampler sampler(m.record_samples, m.frequencies);
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic) if (channels > 1 && channels * length > worth_threads)
  for (std::size_t c = 0; c < channels; ++c) {
    failure.guard([&] {
      const auto* gain = options.gain.tables.empty() ? nullptr : &options.gain[c];
      const bool near = options.channels && !options.channels->near_field.empty();
      const bool limited = options.channels && !options.channels->near_corner.empty();
      auto ir = render_channel(m, sampler, options, gain, c, near ? options.channels->near_field[c] : NearField{},
                               limited ? options.channels->near_corner[c] : 0.0, record(c));
      if (order_of(options, c) == 0) out.tones[c] = tones_of(m, options, gain, record(c), ir);
      if (options.air) absorb_by_air(ir, m.output_rate, *options.air);
      std::copy(ir.begin(), ir.end(), out.ir.begin() + static_cast<std::ptrdiff_t>(c * length));
    });
  }
  failure.rethrow();
}

}  // namespace

Rendered render(const Recording& recording, const RenderOptions& options) {
  check(recording, options);
  Rendered out;
  Method m;
  m.record_rate = recording.sample_rate;
  m.output_rate = options.output_rate;
  m.record_samples = recording.samples;
  m.low_pass = choose_low_pass(recording, options, out.remarks);
  choose_samples(m, options.duration, out.remarks);
  choose_length(m, options.frequency_map, options.channels);
  choose_factors(m, options);

  const std::size_t samples = static_cast<std::size_t>(m.record_samples),
                    channels = recording.pressure.size() / samples;
  const auto record = [&](std::size_t c) { return std::span(recording.pressure).subspan(c * samples, samples); };
  const double pass = numerical_frequency(m.low_pass.pass, m.record_rate, options.frequency_map);
  choose_fade(m, largest_end_level(record, channels, pass), options.frequency_map.undoes(), out.remarks);

  out.sample_rate = m.output_rate;
  out.samples = m.output_samples;
  out.ir.resize(channels * static_cast<std::size_t>(m.output_samples));
  out.tones.resize(channels);
  render_channels(out, m, options, record);
  add_tone_remark(out);
  if (options.channels) {
    mix_channels(out.ir, *options.channels, static_cast<std::size_t>(m.output_samples));
    for (std::string remark : {radial_remark(*options.channels), filter_remark(*options.channels, recording.sources)})
      if (!remark.empty()) out.remarks.push_back(std::move(remark));
  }
  return out;
}

}  // namespace fdtd
