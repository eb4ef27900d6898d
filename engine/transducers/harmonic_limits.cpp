#include "engine/transducers/harmonic_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/vectors.hpp"
#include "engine/transducers/harmonic_ball.hpp"
#include "engine/transducers/joint_parts.hpp"

namespace fdtd {
namespace {

constexpr double pi = std::numbers::pi;
constexpr int frequencies = 16;

double in_decibels(double ratio) { return 20.0 * std::log10(std::max(ratio, 1e-10)); }

// Of the zonal harmonic and of the two beside the ends of the order.
HarmonicLimit limit_of(const Plan& plan, const std::vector<const Tap*>& taps, double bandwidth) {
  HarmonicLimit limit;
  limit.order = degree(taps.front()->operation);
  for (const Tap* tap : taps) limit.noise = std::max(limit.noise, ball_rounding_cut(plan, *tap));
  limit.leakage = -200.0;
  for (int i = 1; i <= frequencies; ++i) {
    const double frequency = bandwidth * i / frequencies, number = 2.0 * pi * frequency / plan.grid.sound_speed;
    double leakage = -200.0;
    for (const std::size_t which : {std::size_t{0}, taps.size() / 2, taps.size() - 1})
      leakage = std::max(leakage, in_decibels(ball_leakage(*taps[which], plan.grid, number)));
    if (leakage > harmonic_leakage) break;
    limit.to = frequency;
    limit.leakage = std::max(limit.leakage, leakage);
  }
  return limit;
}

double radius_of(const Tap& tap, const Grid& grid) {
  return std::cbrt(static_cast<double>(tap.nodes.size()) * grid.cell_volume() * 3.0 / (4.0 * pi));
}

// One of `others` inside the ball of one of `taps`.
std::string one_inside(const std::vector<Tap>& taps, const std::vector<Tap>& others, const Grid& grid) {
  for (const Tap& tap : taps)
    for (const Tap& other : others)
      if (read_by_ball(tap.operation) && norm(minus(other.position, tap.position)) < radius_of(tap, grid))
        return fmt::format("{} in that of {}", other.channel.owner, tap.channel.owner);
  return "";
}

HarmonicLimits limits_of(const Plan& plan, const std::vector<Tap>& all, const std::vector<Tap>& others,
                         double bandwidth) {
  const Tap* smallest = nullptr;
  int highest = 0;
  for (const Tap& tap : all) {
    if (!read_by_ball(tap.operation) || tap.nodes.empty()) continue;
    highest = std::max(highest, degree(tap.operation));
    if (smallest == nullptr || tap.nodes.size() < smallest->nodes.size()) smallest = &tap;
  }
  HarmonicLimits limits;
  if (smallest == nullptr) return limits;
  limits.owner = smallest->channel.owner;
  limits.radius = radius_of(*smallest, plan.grid);
  limits.inside = one_inside(all, others, plan.grid);
  for (int order = lowest_ball_order; order <= highest; ++order) {
    std::vector<const Tap*> taps;
    for (const Tap& tap : all)
      if (degree(tap.operation) == order && tap.channel.owner == limits.owner) taps.push_back(&tap);
    if (!taps.empty()) limits.orders.push_back(limit_of(plan, taps, bandwidth));
  }
  return limits;
}

}  // namespace

HarmonicLimits harmonic_limits(const Plan& plan, double bandwidth) {
  return limits_of(plan, plan.receivers, plan.sources, bandwidth);
}

HarmonicLimits source_harmonic_limits(const Plan& plan, double bandwidth) {
  HarmonicLimits limits = limits_of(plan, plan.sources, plan.receivers, bandwidth);
  const bool joined = std::ranges::any_of(
      plan.joint, [&](const JointPass& one) { return plan.sources[one.parts.first].channel.owner == limits.owner; });
  for (HarmonicLimit& one : limits.orders)
    if (joined) one.noise = 0.0;
  return limits;
}

}  // namespace fdtd
