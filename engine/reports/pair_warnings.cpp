#include "engine/reports/pair_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/transducers/channels.hpp"
#include "engine/transducers/near_field.hpp"

namespace fdtd {
namespace {

// Whether a channel is not the first of its source or receiver.
bool beside_first(const Tap& tap) {
  const ChannelName name = read_channel_name(tap.name);
  return name.hidden || name.acn > 0;
}

}  // namespace

std::string near_field_warning(const Plan& plan) {
  const std::vector<NearDoubt> doubts = near_field_doubts(plan);
  if (doubts.empty()) return "";
  const NearDoubt& worst = *std::ranges::max_element(doubts, {}, &NearDoubt::error);
  const std::size_t more = doubts.size() - 1;
  return fmt::format(
      "{}: from order {} on, low frequencies of {} are cut off, order {} up to {:.3g} Hz, since the grid is off by up "
      "to "
      "{:.2g} times the field there: the two, {:.3g} m apart beside a wall that does not lie along the grid, share "
      "nodes "
      "up to a distance of {:.3g} m; a finer grid_spacing or a larger distance cures that{}",
      read_channel_name(plan.receivers[worst.receiver].name).owner, worst.order,
      read_channel_name(plan.sources[worst.source].name).owner, worst.highest, worst.corner, worst.error,
      worst.distance, near_field_cells * plan.grid.mean_spacing(),
      more == 0 ? "" : fmt::format(". {} more pair{} off by 10 % or more", more, more == 1 ? " is" : "s are"));
}

std::string flight_warning(const Plan& plan, double duration) {
  std::size_t late = 0, first = 0;
  double longest = 0.0;
  for (std::size_t i = 0; i < plan.sources.size() * plan.receivers.size(); ++i) {
    const auto &s = plan.sources[i / plan.receivers.size()].position,
               &r = plan.receivers[i % plan.receivers.size()].position;
    const double flight = std::hypot(s[0] - r[0], s[1] - r[1], s[2] - r[2]) / plan.grid.sound_speed;
    if (!(flight > duration) || beside_first(plan.sources[i / plan.receivers.size()]) ||
        beside_first(plan.receivers[i % plan.receivers.size()]))
      continue;
    if (late++ == 0 || flight > longest) first = i;
    longest = std::max(longest, flight);
  }
  if (late == 0) return {};
  return fmt::format("duration, {:g} s, is shorter than the time of flight: from {} to {} sound takes {:.4g} s{}",
                     duration, read_channel_name(plan.sources[first / plan.receivers.size()].name).owner,
                     read_channel_name(plan.receivers[first % plan.receivers.size()].name).owner, longest,
                     late > 1 ? fmt::format("; {} responses have no sound in them", late) : "");
}

}  // namespace fdtd
