// How a scene's responses are rendered: options, and the radial filters of directional channels.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "engine/responses/render.hpp"
#include "engine/transducers/harmonic_ball.hpp"
#include "engine/transducers/joint_parts.hpp"
#include "engine/transducers/source_gain.hpp"
#include "stencils/known_dispersion.hpp"

namespace fdtd {
namespace {

using Complex = std::complex<double>;
constexpr double pi = std::numbers::pi;

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
        if (read_by_ball(tap->operation)) limit(s * receivers + r, *tap);
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
  int first = 0;
  for (const SourceSpec& source : scene.sources) {
    const auto count = static_cast<int>(channel_count(source.directivity));
    if (source.directivity.pattern == measured_pattern) {
      const Balloon& balloon = *source.directivity.balloon;
      for (int acn = 0; acn < count; ++acn) {
        ChannelFilter& one = filters.emplace_back();
        one.source = first + acn;
        one.into = first;
        const int order = degree(solid_harmonic(acn));
        one.cut = plan.grid.sound_speed / (2.0 * pi * balloon.distance);
        if (order > 0) one.cut = std::max(one.cut, rounding_cut(plan, order + receiver_order));
        one.frequencies = balloon.frequencies;
        for (std::size_t k = 0; k < balloon.frequencies.size(); ++k)
          one.values.push_back(balloon.harmonics[k * balloon.count() + static_cast<std::size_t>(acn)]);
      }
    }
    first += count;
  }
  return filters;
}

}  // namespace

std::string radial_remark(const ChannelOptions& channels) {
  std::string corners;
  const int highest = largest_order(channels);
  for (int n = 2; n <= highest; ++n)
    corners += fmt::format("{}{} at {:.3g} Hz",
                           n == 2         ? "order "
                           : n == highest ? " and order "
                                          : ", order ",
                           n, corner_of(channels, n));
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
                                "{:.3g} Hz",
                                raised, raised == 1 ? "" : "s", highest_corner));
}

const ChannelFilter* ChannelOptions::filter_of(std::size_t source) const {
  const auto at = std::ranges::find(filters, static_cast<int>(source), &ChannelFilter::source);
  return at == filters.end() ? nullptr : &*at;
}

std::complex<double> filter_value(const ChannelFilter& filter, double hertz) {
  const std::vector<double>& f = filter.frequencies;
  if (!(hertz > f.front())) return filter.values.front();
  if (!(hertz < f.back())) return filter.values.back();
  const auto next = static_cast<std::size_t>(std::ranges::upper_bound(f, hertz) - f.begin());
  const double part = std::log(hertz / f[next - 1]) / std::log(f[next] / f[next - 1]);
  return (1.0 - part) * filter.values[next - 1] + part * filter.values[next];
}

std::string filter_remark(const ChannelOptions& channels, const std::vector<std::string>& sources) {
  std::string text;
  for (const ChannelFilter& one : channels.filters) {
    const int order = channels.source_orders.at(static_cast<std::size_t>(one.source));
    const ChannelFilter* const monopole = channels.filter_of(static_cast<std::size_t>(one.into));
    // One remark an order, where its filter is not that of the distance of the measurement.
    const bool first_of_order = one.source - one.into == order * order;
    if (order == 0 || !first_of_order || monopole == nullptr || !(one.cut > monopole->cut * (1.0 + 1e-9))) continue;
    text += fmt::format("{}order {} of source {} below {:.3g} Hz", text.empty() ? "" : ", ", order,
                        sources.at(static_cast<std::size_t>(one.into)), radial_corner(order) * one.cut);
  }
  return text.empty() ? text
                      : "rounding limits measured directivities: weaker than measured is " + text +
                            " (precision = \"f64\" limits them less)";
}

std::complex<double> radial_integration(int order, double ratio) {
  const Complex x(0.0, ratio);
  Complex before = 1.0, here = order > 0 ? x + 1.0 : Complex(1.0);
  for (int n = 2; n <= order; ++n) {
    const Complex next = static_cast<double>(2 * n - 1) * here + x * x * before;
    before = here;
    here = next;
  }
  return 1.0 / here;
}

double radial_corner(int order) {
  double low = 0.1, high = 20.0;
  while (high - low > 1e-9) {
    const double middle = 0.5 * (low + high);
    (std::norm(radial_integration(order, middle)) * std::pow(middle, 2 * order) < 0.5 ? low : high) = middle;
  }
  return low;
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
  return options;
}

}  // namespace fdtd
