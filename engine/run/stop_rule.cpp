#include "engine/run/stop_rule.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fdtd {
namespace {

constexpr double highest = 0.45;  // of the sample rate: a higher low-pass would pass everything
constexpr double butterworth_2 = 0.7071067811865476;
constexpr std::array<double, 2> butterworth_4 = {0.5411961001461970, 1.3065629648763766};

}  // namespace

// R. Bristow-Johnson's cookbook of biquads: bilinear transform with w = 2 pi f / rate kept in place.
DecayWatch::Section DecayWatch::high_pass(double w, double q) {
  const double alpha = std::sin(w) / (2.0 * q), a0 = 1.0 + alpha, b = (1.0 + std::cos(w)) / 2.0;
  return {b / a0, -2.0 * b / a0, b / a0, -2.0 * std::cos(w) / a0, (1.0 - alpha) / a0};
}

DecayWatch::Section DecayWatch::low_pass(double w, double q) {
  const double alpha = std::sin(w) / (2.0 * q), a0 = 1.0 + alpha, b = (1.0 - std::cos(w)) / 2.0;
  return {b / a0, 2.0 * b / a0, b / a0, -2.0 * std::cos(w) / a0, (1.0 - alpha) / a0};
}

DecayWatch::DecayWatch(const Plan& plan) : levels_(plan.receivers.size()), active_(plan.stop.decay_db > 0.0) {
  if (!active_) return;
  const double turn = 2.0 * std::numbers::pi * plan.grid.time_step;
  const double low = std::min(plan.stop.low, 0.25 / plan.grid.time_step);
  sections_.push_back(high_pass(turn * low, butterworth_2));
  if (plan.stop.high * plan.grid.time_step < highest)
    for (const double q : butterworth_4) sections_.push_back(low_pass(turn * plan.stop.high, q));
  ratio_ = std::pow(10.0, -plan.stop.decay_db / 10.0);
  window_ = std::max<std::int64_t>(1, std::llround(1.0 / (low * plan.grid.time_step)));
  double diagonal = 0.0;
  for (std::size_t d = 0; d < 3; ++d) diagonal += std::pow(plan.grid.size[d] * plan.grid.spacing[d], 2);
  const double crossing = 2.0 * std::sqrt(diagonal) / plan.grid.sound_speed / plan.grid.time_step;
  quiet_windows_ = 1 + static_cast<std::int64_t>(std::ceil(crossing / static_cast<double>(window_)));
}

void DecayWatch::add(std::size_t receiver, std::span<const double> samples) {
  if (!active_) return;
  ReceiverLevel& level = levels_[receiver];
  for (const double sample : samples) {
    double x = level.sum += sample;
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      const Section& s = sections_[i];
      auto& [m0, m1] = level.memory[i];
      const double y = s.b0 * x + m0;
      m0 = s.b1 * x - s.a1 * y + m1;
      m1 = s.b2 * x - s.a2 * y;
      x = y;
    }
    level.square += x * x;
    if (++level.counted < window_) continue;
    level.loudest = std::max(level.loudest, level.square);
    level.quiet = level.loudest > 0.0 && level.square <= ratio_ * level.loudest ? level.quiet + 1 : 0;
    level.square = 0.0;
    level.counted = 0;
  }
}

bool DecayWatch::ended() const {
  return active_ && !levels_.empty() && std::all_of(levels_.begin(), levels_.end(), [&](const ReceiverLevel& level) {
           return level.quiet >= quiet_windows_;
         });
}

}  // namespace fdtd
