#include "engine/responses/render_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>

#include "base/rounded_text.hpp"
#include "engine/transducers/harmonic_ball.hpp"
#include "engine/transducers/joint_harmonics.hpp"
#include "engine/transducers/joint_parts.hpp"
#include "engine/transducers/source_gain.hpp"
#include "stencils/known_dispersion.hpp"

namespace fdtd {
namespace {

constexpr double pi = std::numbers::pi;
using Complex = std::complex<double>;

// The largest order of one source or receiver, but for measured sources: their filters have distances of their own.
int largest_order(const ChannelOptions& channels) {
  int largest = 0;
  for (const int order : channels.receiver_orders) largest = std::max(largest, order);
  for (std::size_t s = 0; s < channels.source_orders.size(); ++s)
    if (channels.filter_of(s) == nullptr) largest = std::max(largest, channels.source_orders[s]);
  return largest;
}

// Of a channel: the sum of the orders of its source and receiver, and the larger of both.
int order_of_channel(const ChannelOptions& channels, std::size_t channel) {
  const std::size_t receivers = channels.receiver_orders.size();
  return channels.source_orders[channel / receivers] + channels.receiver_orders[channel % receivers];
}
int largest_of(const ChannelOptions& channels, std::size_t channel) {
  const std::size_t receivers = channels.receiver_orders.size();
  return std::max(channels.source_orders[channel / receivers], channels.receiver_orders[channel % receivers]);
}

bool by_ball(int order) { return order >= lowest_ball_order; }

// Of one source and one receiver, neither read by a ball.
int largest_sum_of_derivatives(const ChannelOptions& channels) {
  int sum = 0;
  for (const auto* orders : {&channels.source_orders, &channels.receiver_orders}) {
    int largest = 0;
    for (const int order : *orders)
      if (!by_ball(order)) largest = std::max(largest, order);
    sum += largest;
  }
  return sum;
}

// Rounding noise of balls: of each channel, since walls make some smaller.
void limit_balls(const Plan& plan, ChannelOptions& channels) {
  const std::size_t receivers = plan.receivers.size();
  const auto limit = [&](std::size_t channel, const Tap& tap) {
    const int order = order_of_channel(channels, channel);
    const double corner = radial_corner(order) * ball_rounding_cut(plan, tap);
    if (channels.near_corner.empty()) channels.near_corner.resize(plan.sources.size() * receivers, 0.0);
    if (corner > radial_corner(order) * channels.cut[static_cast<std::size_t>(order)])
      channels.near_corner[channel] = std::max(channels.near_corner[channel], corner);
  };
  for (std::size_t s = 0; s < plan.sources.size(); ++s)
    for (std::size_t r = 0; r < receivers; ++r)
      for (const Tap* tap : {&plan.sources[s], &plan.receivers[r]})
        if (read_by_ball(tap->operation) && !(tap == &plan.sources[s] && joins(plan, s)))
          limit(s * receivers + r, *tap);
}

// Hz, where an order's radial filter is 3 dB down: the highest of its channels where they differ.
double corner_of(const ChannelOptions& channels, int n) {
  double corner = radial_corner(n) * channels.cut[static_cast<std::size_t>(n)];
  if (!by_ball(n)) return corner;
  for (std::size_t i = 0; i < channels.near_corner.size(); ++i)
    if (order_of_channel(channels, i) == n) corner = std::max(corner, channels.near_corner[i]);
  return corner;
}

// Of the measured sources of a scene.
std::vector<ChannelFilter> filters_of(const Scene& scene, const Plan& plan, int receiver_order) {
  std::vector<ChannelFilter> filters;
  std::size_t first = 0;
  for (const SourceSpec& source : scene.sources) {
    const std::size_t count = channel_count(source.directivity);
    const Balloon* const balloon = source.directivity.balloon.get();
    const JointPass* const joint = joint_pass_of(plan, first);
    for (std::size_t acn = 0; balloon != nullptr && acn < count; ++acn) {
      const Tap& tap = plan.sources[first + acn];
      const int order = degree(tap.operation);
      double cut = plan.grid.sound_speed / (2.0 * pi * balloon->distance);
      if (joint != nullptr)
        cut = joint->cuts[static_cast<std::size_t>(order)];
      else if (by_ball(order))
        cut = std::max(cut, ball_rounding_cut(plan, tap));
      else if (order > 0)
        cut = std::max(cut, rounding_cut(plan, order + receiver_order));
      filters.push_back(harmonic_filter(*balloon, acn, cut));
      filters.back().source = static_cast<int>(first + acn);
      filters.back().into = static_cast<int>(first);
    }
    first += count;
  }
  return filters;
}

// `order` integrations over time, in a gas of that sound speed, with their radial filter.
void integrate_order(std::vector<Complex>& spectrum, int order, double least_cut, double corner,
                     const ChannelOptions& channels, double bin) {
  if (order == 0) return;
  const double cut = std::max(least_cut, corner > 0.0 ? corner / radial_corner(order) : 0.0);
  const double scale = std::pow(channels.sound_speed / (2.0 * pi * cut), order);
  for (std::size_t k = 0; k < spectrum.size(); ++k)
    spectrum[k] *= scale * radial_integration(order, static_cast<double>(k) * bin / cut);
}

}  // namespace

std::string radial_remark(const ChannelOptions& channels) {
  std::string corners;
  const int highest = largest_order(channels);
  for (int n = 2; n <= highest; ++n)
    corners += fmt::format("{}{} at {} Hz",
                           n == 2         ? "order "
                           : n == highest ? " and order "
                                          : ", order ",
                           n, rounded_text(corner_of(channels, n), 3));
  if (corners.empty()) return corners;
  int raised = 0;
  double highest_corner = 0.0;
  for (std::size_t i = 0; i < channels.near_corner.size(); ++i) {
    if (channels.near_corner[i] == 0.0 || by_ball(largest_of(channels, i))) continue;
    ++raised;
    highest_corner = std::max(highest_corner, channels.near_corner[i]);
  }
  return fmt::format(
      "radial filters (high-pass) are 3 dB down for {}: below, the order holds the distance of a source "
      "and not its direction{}",
      corners,
      raised == 0 ? ""
                  : fmt::format("; in {} channel{} of near pairs beside walls that do not lie along the grid, at up to "
                                "{} Hz",
                                raised, raised == 1 ? "" : "s", rounded_text(highest_corner, 3)));
}

const ChannelFilter* ChannelOptions::filter_of(std::size_t source) const {
  const auto at = std::ranges::find(filters, static_cast<int>(source), &ChannelFilter::source);
  return at == filters.end() ? nullptr : &*at;
}

bool ChannelOptions::joins(std::size_t source) const {
  const auto number = static_cast<int>(source);
  const auto summed = [&](int into) { return into != number && sums(static_cast<std::size_t>(into)); };
  return std::ranges::any_of(source_mixes,
                             [&](const ChannelMix& one) { return one.with == number && summed(one.of); }) ||
         std::ranges::any_of(filters,
                             [&](const ChannelFilter& one) { return one.source == number && summed(one.into); });
}

std::string filter_remark(const ChannelOptions& channels, const std::vector<ChannelId>& sources) {
  std::string text;
  for (const ChannelFilter& one : channels.filters) {
    const int order = channels.source_orders.at(static_cast<std::size_t>(one.source));
    const ChannelFilter* const monopole = channels.filter_of(static_cast<std::size_t>(one.into));
    // One remark an order, where its filter is not that of the distance of the measurement.
    const bool first_of_order = one.source - one.into == order * order;
    if (order == 0 || !first_of_order || monopole == nullptr || !(one.cut > monopole->cut * (1.0 + 1e-9))) continue;
    text += fmt::format("{}order {} of source {} below {} Hz", text.empty() ? "" : ", ", order,
                        sources.at(static_cast<std::size_t>(one.into)).owner,
                        rounded_text(radial_corner(order) * one.cut, 3));
  }
  return text.empty() ? text
                      : "rounding limits measured directivities: weaker than measured is " + text +
                            " (precision = \"f64\" limits them less)";
}

void integrate_channel(std::vector<Complex>& spectrum, std::size_t channel, double corner,
                       const ChannelOptions& channels, double bin) {
  const std::size_t receivers = channels.receiver_orders.size(), source = channel / receivers;
  const ChannelFilter* const filter = channels.filter_of(source);
  const auto cut = [&](int order) { return channels.cut[static_cast<std::size_t>(order)]; };
  const int sent = channels.source_orders[source], received = channels.receiver_orders[channel % receivers];
  if (filter == nullptr && !channels.joins(source))
    return integrate_order(spectrum, sent + received, cut(sent + received), corner, channels, bin);
  integrate_order(spectrum, sent, filter != nullptr ? filter->cut : cut(sent), corner, channels, bin);
  integrate_order(spectrum, received, cut(received), sent == 0 ? corner : 0.0, channels, bin);
  if (filter != nullptr && !channels.sums(source)) apply(*filter, spectrum, bin);
}

std::optional<ChannelOptions> channel_options(const Scene& scene, const Plan& plan) {
  ChannelOptions channels;
  int max_order = 0;
  for (const auto& [taps, orders] :
       {std::pair(&plan.sources, &channels.source_orders), std::pair(&plan.receivers, &channels.receiver_orders)}) {
    for (const Tap& tap : *taps) orders->push_back(degree(tap.operation));
    max_order += orders->empty() ? 0 : *std::max_element(orders->begin(), orders->end());
  }
  channels.near_field = near_field(plan);
  const bool measured = std::ranges::any_of(
      scene.sources, [](const SourceSpec& one) { return one.directivity.pattern == measured_pattern; });
  if (max_order == 0 && !measured &&
      std::ranges::all_of(channels.near_field, [](const NearField& one) { return one == NearField{}; }))
    return std::nullopt;
  int receiver_order = 0;  // of derivatives: balls have limits of their own
  for (const int order : channels.receiver_orders)
    if (!by_ball(order)) receiver_order = std::max(receiver_order, order);
  channels.filters = filters_of(scene, plan, receiver_order);
  ChannelMixes mixes = mixes_of(scene);
  channels.source_mixes = std::move(mixes.sources);
  channels.receiver_mixes = std::move(mixes.receivers);
  if (!plan.joint.empty()) channels.source_leads.assign(plan.sources.size(), 0);
  for (const JointPass& one : plan.joint) channels.source_leads[one.parts.first] = static_cast<int>(one.lead);
  channels.sound_speed = plan.grid.sound_speed;
  channels.near_corner = near_corners(plan);
  channels.cut = {0.0};
  const bool ambisonic = largest_order(channels) >= 2;
  const int derivatives = largest_sum_of_derivatives(channels);
  for (int n = 1; n <= max_order; ++n) {
    const double physical = n == 1 || !ambisonic ? 5.0 : plan.grid.sound_speed / (2.0 * pi * radial_distance);
    channels.cut.push_back(n > derivatives ? physical : std::max(physical, rounding_cut(plan, n)));
  }
  limit_balls(plan, channels);
  return channels;
}

RenderOptions render_options(const Scene& scene, const Plan& plan, double bandwidth, int samples) {
  RenderOptions options;
  options.output_rate = scene.output.sample_rate;
  options.low_cut = scene.output.low_cut;
  options.bandwidth = bandwidth;
  const double branch = known_second_branch(plan.stencil, plan.frequency_map) / (2.0 * pi * plan.grid.time_step);
  options.branch = std::isfinite(branch) ? branch : 0.0;
  options.duration = scene.simulation.duration;
  options.frequency_map = plan.frequency_map;
  options.gain = channel_gain(plan, samples);
  options.channels = channel_options(scene, plan);
  if (scene.air.absorption) options.air = air_state(scene.air);
  if (std::ranges::any_of(scene.receivers, [](const ReceiverSpec& one) { return one.weight != 1.0; }))
    for (const Channel& one : channels_of(scene).receivers)
      options.weights.push_back(scene.receivers[one.owner].weight);
  return options;
}

}  // namespace fdtd
