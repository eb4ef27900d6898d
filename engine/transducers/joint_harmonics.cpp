#include "engine/transducers/joint_harmonics.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>

#include "base/math/fourier.hpp"
#include "base/math/spherical_harmonics.hpp"
#include "engine/plan/record_tail.hpp"
#include "engine/transducers/harmonic_ball.hpp"
#include "engine/transducers/source_gain.hpp"

namespace fdtd {
namespace {

using Complex = std::complex<double>;
constexpr double pi = std::numbers::pi;

constexpr double widest_sent = 0.85 * pi, last_sent = 0.98 * pi;  // radians a step
constexpr double beyond_band = 1.3;                               // where a signal ends, of the band
constexpr double longest_lead = 0.03;                             // s
constexpr double energy_before = 1e-7, energy_after = 1e-10;      // of all that is sent, outside of a signal
constexpr double shortest_period = 1.0;                           // s, of the transforms
constexpr double lowest_cut = 5.0;                                // Hz, as of patterns: signals end, and f32 holds them

// The frequencies of a transform: the true one, and the factor of the band's end.
struct Bins {
  std::int64_t length = 0;
  std::vector<double> numerical, hertz, part;
};

Bins bins_of(const Plan& plan, double band, double seconds) {
  const double T = plan.grid.time_step, end = std::min(last_sent, beyond_band * band);
  const FrequencyMap& map = plan.frequency_map;
  const double at_edge = map.truth(band), slope = 1.0 / map.slope(at_edge);
  Bins bins;
  bins.length = smooth_length(static_cast<std::int64_t>(std::ceil(seconds / T)));
  for (std::int64_t k = 0; k <= bins.length / 2; ++k) {
    const double w = 2.0 * pi * static_cast<double>(k) / static_cast<double>(bins.length);
    if (w >= end) break;
    bins.numerical.push_back(w);
    bins.hertz.push_back((w < band ? map.truth(w) : at_edge + slope * (w - band)) / (2.0 * pi * T));
    bins.part.push_back(w < band ? 1.0 : 0.5 + 0.5 * std::cos(pi * (w - band) / (end - band)));
  }
  return bins;
}

// In time, with time 0 in the middle.
std::vector<double> in_time(std::vector<Complex> spectrum, const Bins& bins) {
  spectrum.resize(static_cast<std::size_t>(bins.length / 2 + 1), 0.0);
  for (std::size_t k = 1; k < spectrum.size(); k += 2) spectrum[k] = -spectrum[k];
  return inverse_real_fft(spectrum, bins.length);
}

// Samples before the middle that hold all but `energy_before` of the energy.
std::int64_t lead_of(const std::vector<double>& energies, std::int64_t most) {
  const double all = std::accumulate(energies.begin(), energies.end(), 0.0);
  const auto middle = static_cast<std::int64_t>(energies.size()) / 2;
  double before = 0.0;
  std::int64_t at = 0;
  while (at < middle - 1 && before + energies[static_cast<std::size_t>(at)] <= energy_before * all)
    before += energies[static_cast<std::size_t>(at++)];
  return std::clamp<std::int64_t>(middle - at, 1, most);
}

// The signal from `lead` samples before the middle on: its difference, so that it sums to 0, without its weak end.
std::vector<double> signal_from(const std::vector<double>& wave, std::int64_t lead) {
  const std::size_t begin = wave.size() / 2 - static_cast<std::size_t>(lead);
  std::vector<double> part(wave.begin() + static_cast<std::ptrdiff_t>(begin), wave.end());
  double all = 0.0, after = 0.0;
  for (const double x : part) all += x * x;
  while (!part.empty() && after + part.back() * part.back() <= energy_after * all) {
    after += part.back() * part.back();
    part.pop_back();
  }
  const std::size_t fade = part.size() / 16;
  for (std::size_t i = 0; i < fade; ++i)
    part[part.size() - 1 - i] *= 0.5 - 0.5 * std::cos(pi * (static_cast<double>(i) + 0.5) / static_cast<double>(fade));
  part.push_back(0.0);
  std::adjacent_difference(part.begin(), part.end(), part.begin());
  return part;
}

}  // namespace

ChannelFilter harmonic_filter(const Balloon& balloon, std::size_t acn, double cut) {
  ChannelFilter filter;
  filter.cut = cut;
  filter.frequencies = balloon.frequencies;
  for (std::size_t k = 0; k < balloon.frequencies.size(); ++k)
    filter.values.push_back(balloon.harmonics[k * balloon.count() + acn]);
  return filter;
}

JointPass pass_of_harmonics(const Plan& plan, const JointParts& parts, const Balloon& balloon, double bandwidth) {
  const double T = plan.grid.time_step, c = plan.grid.sound_speed;
  JointPass pass;
  pass.parts = parts;
  pass.band = std::min(plan.frequency_map.grid(2.0 * pi * low_pass_stop(bandwidth) * T), widest_sent);
  pass.cuts.assign(static_cast<std::size_t>(balloon.order) + 1,
                   std::max(lowest_cut, c / (2.0 * pi * balloon.distance)));
  const Bins bins = bins_of(plan, pass.band, shortest_period + 16.0 / (2.0 * pi * pass.cuts.front()));
  const std::vector<double> first = gain_at_node(plan, plan.sources[parts.first]);
  std::vector<double> energies(static_cast<std::size_t>(bins.length), 0.0);
  std::vector<std::vector<double>> waves;
  std::vector<double> own;
  for (std::size_t acn = 0; acn < parts.count; ++acn) {
    const Tap& tap = plan.sources[parts.first + acn];
    const int order = harmonic_degree(acn);
    const double cut = pass.cuts[static_cast<std::size_t>(order)];
    // Balls of one order have one gain.
    if (own.empty() || !read_by_ball(tap.operation) || acn == static_cast<std::size_t>(order * order))
      own = gain_at_node(plan, tap);
    const ChannelFilter filter = harmonic_filter(balloon, acn, cut);
    const double scale = std::pow(c / (2.0 * pi * cut), order);
    std::vector<Complex> sent, radiated;
    for (std::size_t k = 0; k < bins.hertz.size(); ++k) {
      const double ratio = bins.hertz[k] / cut, w = bins.numerical[k];
      const Complex value = bins.part[k] * filter_value(filter, bins.hertz[k]) * radial_integration(order, ratio);
      radiated.push_back(value * std::pow(Complex(0.0, ratio), order));
      sent.push_back(value * scale * (gain_at(first, w) / gain_at(own, w)));
    }
    const std::vector<double> heard = in_time(radiated, bins);
    for (std::size_t n = 0; n < energies.size(); ++n) energies[n] += heard[n] * heard[n] / (2.0 * order + 1.0);
    waves.push_back(in_time(sent, bins));
  }
  pass.lead = lead_of(energies, std::max<std::int64_t>(1, std::llround(longest_lead / T)));
  for (const std::vector<double>& wave : waves) pass.signals.push_back(signal_from(wave, pass.lead));
  return pass;
}

}  // namespace fdtd
