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

// The largest order of one source or receiver.
int largest_order(const ChannelOptions& channels) {
  int largest = 0;
  for (const auto* orders : {&channels.source_orders, &channels.receiver_orders})
    for (const int order : *orders) largest = std::max(largest, order);
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
  if (max_order == 0 &&
      std::ranges::all_of(channels.near_field, [](const NearField& one) { return one == NearField{}; }))
    return std::nullopt;
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
