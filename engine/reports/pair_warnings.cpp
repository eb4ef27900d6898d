#include "engine/reports/pair_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/rounded_text.hpp"
#include "engine/reports/transducer_fields.hpp"
#include "engine/responses/direct_level.hpp"
#include "engine/responses/render.hpp"
#include "engine/transducers/near_field.hpp"

namespace fdtd {
namespace {

// Why the source of a channel takes several passes; empty: it takes one.
std::string separate_passes(const Plan& plan, std::size_t source) {
  const std::string& owner = plan.sources[source].channel.owner;
  const auto is_part = [&](const Tap& tap) { return tap.channel.owner == owner; };
  const auto first = std::ranges::find_if(plan.sources, is_part);
  const auto parts = std::ranges::count_if(plan.sources, is_part);
  if (parts == 1 || joint_pass_of(plan, static_cast<std::size_t>(first - plan.sources.begin())) != nullptr) return "";
  return fmt::format(
      ". {} takes {} passes for that, one for each of its parts, since a single pass could not cut one off", owner,
      parts);
}

}  // namespace

std::string near_field_warning(const Plan& plan, bool exchanged) {
  const std::vector<NearDoubt> doubts = near_field_doubts(plan);
  if (doubts.empty()) return "";
  const NearDoubt& worst = *std::ranges::max_element(doubts, {}, &NearDoubt::error);
  const std::size_t more = doubts.size() - 1;
  return fmt::format(
      "{}: from order {} on, low frequencies of {} are cut off, order {} up to {} Hz, since the grid is off by up "
      "to "
      "{:.2g} times the field there: the two, {:.3g} m apart beside a wall that does not lie along the grid, share "
      "nodes "
      "up to a distance of {:.3g} m; a finer grid_spacing or a larger distance cures that{}{}",
      plan.receivers[worst.receiver].channel.owner, worst.order, plan.sources[worst.source].channel.owner,
      worst.highest, rounded_text(worst.corner, 3), worst.error, worst.distance,
      near_field_cells * plan.grid.mean_spacing(), exchanged ? "" : separate_passes(plan, worst.source),
      more == 0 ? "" : fmt::format(". {} more pair{} off by 10 % or more", more, more == 1 ? " is" : "s are"));
}

// `from`(order, noise): Hz from which on an order holds.
template <class From>
std::string orders_text(const HarmonicLimits& limits, const From& from) {
  std::string text;
  for (const HarmonicLimit& one : limits.orders) {
    text += one.order == limits.orders.front().order ? " order " : ", order ";
    const double begin = from(one.order, one.noise);
    if (begin < one.to)
      text += fmt::format("{} holds from {} to {} Hz (others leak in at {:.0f} dB at most)", one.order,
                          rounded_text(begin, 3), rounded_text(one.to, 4), one.leakage);
    else
      text += fmt::format("{} holds nowhere (noise up to {} Hz, leakage from {} Hz on)", one.order,
                          rounded_text(begin, 3), rounded_text(one.to, 4));
  }
  return text;
}

std::string harmonic_remark(const HarmonicLimits& limits, double sound_speed) {
  if (limits.orders.empty()) return "";
  std::string text = fmt::format(
      "ambisonic orders above 3 are read by a ball of nodes ({}: {:.2g} m in radius):", limits.owner, limits.radius);
  text += orders_text(limits, [&](int order, double noise) {
    return holds_from({order, noise, 0.0, 0.0}, sound_speed);
  });
  if (!limits.inside.empty())
    text += fmt::format("; a source lies inside the ball of a receiver ({}): these orders do not hold for it",
                        limits.inside);
  return text;
}

std::string source_harmonic_remark(const Plan& plan, double bandwidth) {
  const HarmonicLimits limits = source_harmonic_limits(plan, bandwidth);
  if (limits.orders.empty()) return "";
  std::string text = fmt::format(
      "orders above 3 of measured sources are sent by a ball of nodes ({}: {:.2g} m in radius), whose near field holds "
      "outside of it:",
      limits.owner, limits.radius);
  text += orders_text(limits, [](int order, double noise) { return radial_corner(order) * noise; });
  if (!limits.inside.empty())
    text += fmt::format("; a receiver lies inside the ball of a source ({}): its direct sound does not hold",
                        limits.inside);
  return text;
}

std::string direct_warning(const Plan& plan, double bandwidth, double rate) {
  const LowPass low_pass = low_pass_of(plan, bandwidth);
  struct Off {
    NearPressure pair;
    DirectError error;
  };
  std::vector<Off> list, coincident;
  for (const NearPressure& pair : near_pressures(plan, plan.grid.sound_speed / bandwidth)) {
    if (pair.distance <= 0.0) {
      coincident.push_back({pair, {}});
      continue;
    }
    DirectError error = direct_error(pair.distance, pair.left, low_pass, plan.grid, rate);
    constexpr double unknown = 3.0;  // dB, of a near field beyond a cell
    if (!pair.known) error.within = unknown;
    if (error.largest() >= direct_tolerance) list.push_back({pair, error});
  }
  const auto name = [](const Tap& tap) { return tap.channel.owner; };
  if (!coincident.empty()) {
    const NearPressure& pair = coincident.front().pair;
    return fmt::format("{} lies at {}{}: its direct sound has no bound, and its level is the grid's; move it",
                       name(plan.receivers[pair.receiver]), name(plan.sources[pair.source]),
                       coincident.size() > 1 ? fmt::format(" ({} more pairs alike)", coincident.size() - 1) : "");
  }
  if (list.empty()) return {};
  const Off& worst = *std::ranges::max_element(list, {}, [](const Off& one) { return one.error.largest(); });
  const std::size_t more = list.size() - 1;
  const double spacing = plan.grid.mean_spacing();
  return fmt::format(
      "{} is {:.3g} m from {}, {:.2g} cells: the level of its direct sound is off by {:+.1f} to {:+.1f} dB by octave "
      "(in "
      "the highest to {:g} dB), since so near a response of {} Hz rings before the emission{}; a higher "
      "max_frequency or a larger distance cures that{}",
      name(plan.receivers[worst.pair.receiver]), worst.pair.distance, name(plan.sources[worst.pair.source]),
      worst.pair.distance / spacing, worst.error.lowest, worst.error.highest, worst.error.within,
      rounded_text(bandwidth, 4),
      worst.pair.left == NearField{} ? "" : " and their nodes overlap beside a wall that does not lie along the grid",
      more == 0 ? ""
                : fmt::format(". {} more pair{} off by {:g} dB or more", more, more == 1 ? " may be" : "s may be",
                              direct_tolerance));
}

std::string flight_warning(const Plan& plan, double duration) {
  std::size_t late = 0, first = 0;
  double longest = 0.0;
  for (std::size_t i = 0; i < plan.sources.size() * plan.receivers.size(); ++i) {
    const auto &s = plan.sources[i / plan.receivers.size()].position,
               &r = plan.receivers[i % plan.receivers.size()].position;
    const double flight = std::hypot(s[0] - r[0], s[1] - r[1], s[2] - r[2]) / plan.grid.sound_speed;
    if (!(flight > duration) || !plan.sources[i / plan.receivers.size()].channel.first() ||
        !plan.receivers[i % plan.receivers.size()].channel.first())
      continue;
    if (late++ == 0 || flight > longest) first = i;
    longest = std::max(longest, flight);
  }
  if (late == 0) return {};
  return fmt::format("duration, {:g} s, is shorter than the time of flight: from {} to {} sound takes {:.4g} s{}",
                     duration, plan.sources[first / plan.receivers.size()].channel.owner,
                     plan.receivers[first % plan.receivers.size()].channel.owner, longest,
                     late > 1 ? fmt::format("; {} responses have no sound in them", late) : "");
}

}  // namespace fdtd
