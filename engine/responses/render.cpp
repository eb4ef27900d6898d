#include "engine/responses/render.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <span>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/math/residual_tones.hpp"
#include "base/parallel_failure.hpp"
#include "engine/responses/render_filter.hpp"
#include "engine/responses/render_method.hpp"
#include "engine/transducers/harmonic_ball.hpp"

namespace fdtd {

namespace {

constexpr double pi = std::numbers::pi;
constexpr std::size_t worth_threads = 200000;  // samples of all channels: fewer take less time than threads that wait

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

int order_of(const RenderOptions& options, std::size_t channel) {
  if (!options.channels) return 0;
  const auto& receivers = options.channels->receiver_orders;
  return options.channels->source_orders[channel / receivers.size()] + receivers[channel % receivers.size()];
}

// The residual tones of one channel from just below the bandwidth on, as its response would have them.
std::vector<ResidualTone> tones_of(const RenderMethod& m, const RenderOptions& options, const std::vector<double>* gain,
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

void render_channels(Rendered& out, const RenderMethod& m, const RenderOptions& options, const Records& record) {
  const std::size_t channels = out.tones.size();
  const auto length = static_cast<std::size_t>(m.output_samples);
  const ChannelRenderer renderer(m, options);
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic) if (channels > 1 && channels * length > worth_threads)
  for (std::size_t c = 0; c < channels; ++c) {
    failure.guard([&] {
      auto ir = renderer.response(c, record(c));
      if (order_of(options, c) == 0) out.tones[c] = tones_of(m, options, renderer.gain(c), record(c), ir);
      if (options.air) absorb_by_air(ir, m.output_rate, *options.air);
      std::copy(ir.begin(), ir.end(), out.ir.begin() + static_cast<std::ptrdiff_t>(c * length));
    });
  }
  failure.rethrow();
}

// The record of a channel.
Records records_of(const Recording& recording) {
  const auto samples = static_cast<std::size_t>(recording.samples);
  return [&recording, samples](std::size_t c) { return std::span(recording.pressure).subspan(c * samples, samples); };
}

}  // namespace

Rendered render(const Recording& recording, const RenderOptions& options) {
  check(recording, options);
  Rendered out;
  const Records record = records_of(recording);
  const RenderMethod m = render_method(recording, options, record, out.remarks);
  const std::size_t channels = recording.pressure.size() / static_cast<std::size_t>(m.record_samples);

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

std::vector<double> render_transposed(const Recording& recording, const RenderOptions& options,
                                      std::vector<double> by_response) {
  check(recording, options);
  std::vector<std::string> remarks;
  const RenderMethod m = render_method(recording, options, records_of(recording), remarks);
  const auto samples = static_cast<std::size_t>(m.record_samples), length = static_cast<std::size_t>(m.output_samples);
  const std::size_t channels = recording.pressure.size() / samples;
  if (by_response.size() != channels * length)
    throw Error(Status::scene, fmt::format("the loss has {} derivatives by responses of {} channels of {} samples",
                                           by_response.size(), channels, length));
  if (options.channels) transpose_mix(by_response, *options.channels, length);
  std::vector<double> by_record(recording.pressure.size());
  const ChannelRenderer renderer(m, options);
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic) if (channels > 1 && channels * length > worth_threads)
  for (std::size_t c = 0; c < channels; ++c) {
    failure.guard([&] {
      const auto by = std::span(by_response).subspan(c * length, length);
      if (options.air) absorb_by_air_transposed(by, m.output_rate, *options.air);
      std::ranges::copy(renderer.transposed(c, by), by_record.begin() + static_cast<std::ptrdiff_t>(c * samples));
    });
  }
  failure.rethrow();
  return by_record;
}

void weigh_receivers(std::vector<double>& ir, std::int64_t samples, const std::vector<double>& weights) {
  if (weights.empty()) return;
  const auto each = static_cast<std::size_t>(samples);
  for (std::size_t i = 0; i < ir.size(); ++i) ir[i] *= weights[i / each % weights.size()];
}

}  // namespace fdtd
