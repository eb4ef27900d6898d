#include "engine/results/lateral_response.hpp"

#include <algorithm>
#include <cmath>

namespace fdtd {
namespace {

constexpr std::size_t acn_of_y = 1, acn_of_x = 3;  // of the first order, from the receiver's first channel on

// Hz: 3 dB down at least, of the first order of a receiver with that source.
double valid_from(const Result& result, std::size_t channel) {
  if (!result.options.channels) return 0.0;
  const ChannelOptions& options = *result.options.channels;
  const std::size_t source = channel / result.recording.receivers.size();
  const auto of_source =
      source < options.source_orders.size() ? static_cast<std::size_t>(std::max(0, options.source_orders[source])) : 0;
  double from = of_source + 1 < options.cut.size() ? options.cut[of_source + 1] : 0.0;
  for (const std::size_t acn : {acn_of_y, acn_of_x})
    if (channel + acn < options.near_corner.size()) from = std::max(from, options.near_corner[channel + acn]);
  return from;
}

}  // namespace

LateralResponse lateral_response(const Result& result, std::size_t channel) {
  LateralResponse lateral;
  const std::vector<ChannelId>& receivers = result.recording.receivers;
  const std::size_t receiver = channel % receivers.size(), source = channel / receivers.size();
  const ChannelId& id = receivers[receiver];
  if (!id.of_field() || id.number != 0 || receiver + acn_of_x >= receivers.size()) {
    lateral.reason = "the receiver is not ambisonic";
    return lateral;
  }
  const std::array<double, 3>&from = result.receiver_positions[receiver], &to = result.source_positions[source];
  const double x = to[0] - from[0], y = to[1] - from[1], distance = std::hypot(x, y);
  constexpr double least = 1e-6;  // m
  if (!(distance > least)) {
    lateral.reason = "the source is straight above or below the receiver: no direction is lateral";
    return lateral;
  }
  lateral.axis = {-y / distance, x / distance, 0.0};
  lateral.from = valid_from(result, channel);
  const auto samples = static_cast<std::size_t>(result.rendered.samples);
  const double* const of_x = result.rendered.ir.data() + (channel + acn_of_x) * samples;
  const double* const of_y = result.rendered.ir.data() + (channel + acn_of_y) * samples;
  lateral.samples.resize(samples);
  for (std::size_t i = 0; i < samples; ++i) lateral.samples[i] = lateral.axis[0] * of_x[i] + lateral.axis[1] * of_y[i];
  return lateral;
}

}  // namespace fdtd
