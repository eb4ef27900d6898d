#include "engine/transducers/joint_parts.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>

#include "engine/plan/record_tail.hpp"
#include "engine/transducers/channels.hpp"
#include "engine/transducers/joint_harmonics.hpp"
#include "engine/transducers/near_field.hpp"
#include "engine/transducers/source_gain.hpp"

namespace fdtd {
namespace {

using Complex = std::complex<double>;
constexpr double pi = std::numbers::pi;

constexpr std::int64_t lead = 20;  // steps
constexpr std::size_t taps = 2 * lead + 2;
constexpr double short_pole = 0.95;        // q
constexpr double widest_band = 0.85 * pi;  // radians a step: a filter of so few samples is free above
constexpr double end_of_signal = 1e-15;    // of its largest sample

// h(z) z^-L of the taps that meet `wanted` at equally spaced frequencies up to `band`; small taps where the band leaves
// a choice, so that little is sent above it.
template <class Wanted>
std::vector<double> fitted_taps(double band, const Wanted& wanted) {
  constexpr Eigen::Index frequencies = 24 * static_cast<Eigen::Index>(taps), unknowns = static_cast<Eigen::Index>(taps);
  constexpr double smallness = 1e-5;
  const double scale = std::abs(wanted(0.0));
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(2 * frequencies + unknowns, unknowns);
  Eigen::VectorXd right = Eigen::VectorXd::Zero(matrix.rows());
  for (Eigen::Index i = 0; i < frequencies; ++i) {
    const double w = band * (static_cast<double>(i) + 0.5) / static_cast<double>(frequencies);
    const Complex value = wanted(w) / scale;
    right[2 * i] = value.real();
    right[2 * i + 1] = value.imag();
    for (Eigen::Index k = 0; k < unknowns; ++k) {
      const Complex turn = std::polar(1.0, -w * (static_cast<double>(k) - static_cast<double>(lead)));
      matrix(2 * i, k) = turn.real();
      matrix(2 * i + 1, k) = turn.imag();
    }
  }
  const double weight = smallness * std::sqrt(static_cast<double>(frequencies));
  for (Eigen::Index k = 0; k < unknowns; ++k) matrix(2 * frequencies + k, k) = weight;
  const Eigen::VectorXd found = matrix.colPivHouseholderQr().solve(right) * scale;
  return {found.begin(), found.end()};
}

// The signal of a filter of few samples: times (1 - 1/z) / (1 - q/z).
std::vector<double> signal_of(const std::vector<double>& filter) {
  std::vector<double> signal;
  double before = 0.0, largest = 0.0, sent = 0.0;
  for (std::size_t n = 0; n < filter.size() || std::abs(sent) > end_of_signal * largest; ++n) {
    const double x = n < filter.size() ? filter[n] : 0.0;
    sent = x - before + short_pole * sent;
    before = x;
    largest = std::max(largest, std::abs(sent));
    signal.push_back(sent);
  }
  return signal;
}

// nullptr: a pattern by its name.
const Balloon* balloon_of_channel(const std::vector<SourceSpec>& sources, std::size_t channel) {
  for (const SourceSpec& one : sources) {
    const std::size_t count = channel_count(one.directivity);
    if (channel < count) return one.directivity.balloon.get();
    channel -= count;
  }
  return nullptr;
}

JointPass pass_of(const Plan& plan, const JointParts& parts, double bandwidth) {
  const double T = plan.grid.time_step, alpha = 2.0 * pi * first_order_cut(plan);
  JointPass pass;
  pass.signals.resize(2);
  pass.parts = parts;
  pass.band = std::min(plan.frequency_map.grid(2.0 * pi * low_pass_stop(bandwidth) * T), widest_band);
  pass.lead = lead;
  pass.zero = short_pole;
  pass.pole = std::exp(-alpha * T);
  const std::vector<double> omni = gain_at_node(plan, plan.sources[parts.first]),
                            derivative = gain_at_node(plan, plan.sources[parts.first + 1]);
  const auto wanted = [&](double w) {
    return (1.0 - std::polar(pass.pole, -w)) * plan.grid.sound_speed / Complex(alpha, plan.frequency_map.truth(w) / T) *
           (gain_at(omni, w) / gain_at(derivative, w));
  };
  std::vector<double> filter = fitted_taps(pass.band, wanted);
  for (double& tap : filter) tap *= (1.0 - parts.fraction) / parts.fraction;
  pass.signals[1] = signal_of(filter);
  std::vector<double> delayed(static_cast<std::size_t>(lead) + 2, 0.0);
  delayed[static_cast<std::size_t>(lead)] = 1.0;
  delayed[static_cast<std::size_t>(lead) + 1] = -pass.pole;
  pass.signals[0] = signal_of(delayed);
  return pass;
}

}  // namespace

double first_order_cut(const Plan& plan) {
  constexpr double lowest = 5.0;
  return std::max(lowest, rounding_cut(plan, 1));
}

namespace {

double unit_of(const Plan& plan) { return plan.precision == Precision::f32 ? 6e-8 : 1.1e-16; }

}  // namespace

double ball_rounding_cut(const Plan& plan, const Tap& tap) {
  // The errors of nodes add up as if by chance.
  double square = 0.0;
  for (const double weight : tap.weights) square += weight * weight;
  const double noise = 10.0 * unit_of(plan) * std::sqrt(square);
  return plan.grid.sound_speed / (2.0 * pi) * std::pow(100.0 * noise, 1.0 / degree(tap.operation));
}

double rounding_cut(const Plan& plan, int order) {
  // Rounding errors between neighbouring nodes, relative to the field, are some 10 units in the last place after many
  // steps; the n-th derivative sums them with weights of about 4 / h^n, while the signal has the factor (k h)^n.
  const double rounding = 40.0 * unit_of(plan);
  return plan.grid.sound_speed / (2.0 * pi * plan.grid.mean_spacing()) * std::pow(100.0 * rounding, 1.0 / order);
}

std::vector<JointPass> join_parts(const std::vector<SourceSpec>& sources, const Plan& plan,
                                  const std::vector<JointParts>& parts, double bandwidth) {
  if (parts.empty()) return {};
  const std::vector<double> corners = near_corners(plan);
  const std::size_t receivers = plan.receivers.size();
  const auto limited = [&](const JointParts& one) {
    const auto begin = static_cast<std::ptrdiff_t>((one.first + 1) * receivers),
               end = static_cast<std::ptrdiff_t>((one.first + one.count) * receivers);
    return !corners.empty() &&
           std::any_of(corners.begin() + begin, corners.begin() + end, [](double corner) { return corner > 0.0; });
  };
  std::vector<JointPass> passes;
  for (const JointParts& one : parts) {
    if (limited(one)) continue;
    const Balloon* const balloon = balloon_of_channel(sources, one.first);
    passes.push_back(balloon != nullptr ? pass_of_harmonics(plan, one, *balloon, bandwidth)
                                        : pass_of(plan, one, bandwidth));
  }
  return passes;
}

}  // namespace fdtd
