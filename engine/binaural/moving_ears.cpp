#include "engine/binaural/moving_ears.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/math/spherical_harmonics.hpp"
#include "base/parallel_failure.hpp"

namespace fdtd {
namespace {

std::size_t early_of(const EarFilters& filters, double rate) {
  return static_cast<std::size_t>(std::ceil((filters.lead + ringing_of_phases) * rate));
}

std::size_t taps_of(const EarFilters& filters, double rate) {
  const double seconds = static_cast<double>(filters.taps) / filters.sample_rate + 2.0 * ringing_of_phases;
  return static_cast<std::size_t>(std::ceil(seconds * rate)) + 2;
}

}  // namespace

MovingEars::MovingEars(const BinauralReceiver& receiver, std::size_t source, double rate)
    : early_(early_of(*receiver.filters, rate)),
      blocks_(taps_of(*receiver.filters, rate)),
      unheard_(harmonic_count(receiver.filters->order)) {
  const EarFilters filters = turned(*receiver.filters, axes_of(receiver, 0.0));
  std::vector<double> silence(blocks_.taps(), 0.0), pulse = silence;
  pulse[early_] = 1.0;
  for (std::size_t i = 0; i < unheard_.size(); ++i) {
    std::vector<std::span<const double>> alone(unheard_.size(), silence);
    alone[i] = pulse;
    const std::vector<double> both = ears_of(filters, alone, rate, receiver.cuts.at(source));
    for (std::size_t ear = 0; ear < 2; ++ear)
      filters_.emplace_back(blocks_, std::span(both).subspan(ear * blocks_.taps(), blocks_.taps()));
  }
}

void MovingEars::next(const std::vector<std::span<const double>>& channels, const Hear& hear) {
  came_ += channels.at(0).size();
  for (std::size_t used = 0; used < channels[0].size();) {
    const std::size_t count = std::min(channels[0].size() - used, blocks_.block() - unheard_[0].size());
    for (std::size_t i = 0; i < unheard_.size(); ++i) {
      const std::span<const double> some = channels.at(i).subspan(used, count);
      unheard_[i].insert(unheard_[i].end(), some.begin(), some.end());
    }
    used += count;
    if (unheard_[0].size() == blocks_.block()) convolve(blocks_.block(), hear);
  }
}

void MovingEars::finish(const Hear& hear) {
  if (!unheard_[0].empty()) convolve(unheard_[0].size(), hear);
  std::vector<std::vector<double>> tails(2, std::vector<double>(blocks_.taps() - 1, 0.0));
  for (std::size_t f = 0; f < filters_.size(); ++f)
    for (std::size_t n = 0; n < tails[0].size(); ++n) tails[f % 2][n] += filters_[f].tail()[n];
  pass(std::move(tails), hear);
}

void MovingEars::convolve(std::size_t samples, const Hear& hear) {
  std::vector<std::vector<double>> made(filters_.size()), ears(2, std::vector<double>(samples, 0.0));
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < unheard_.size(); ++i)
    failure.guard([&] {
      const auto spectrum = blocks_.spectrum(unheard_[i]);
      for (std::size_t f = 2 * i; f < 2 * i + 2; ++f) made[f] = filters_[f](spectrum, samples);
    });
  failure.rethrow();
  for (std::size_t f = 0; f < made.size(); ++f)
    for (std::size_t n = 0; n < samples; ++n) ears[f % 2][n] += made[f][n];
  for (std::vector<double>& one : unheard_) one.clear();
  pass(std::move(ears), hear);
}

// Samples before time 0 are left out, and so are those that ring on after the channels.
void MovingEars::pass(std::vector<std::vector<double>> ears, const Hear& hear) {
  const std::uint64_t end = at_ + ears[0].size(), from = std::max<std::uint64_t>(at_, early_),
                      to = std::min<std::uint64_t>(end, came_ + early_);
  if (from < to) {
    const auto first = static_cast<std::size_t>(from - at_), count = static_cast<std::size_t>(to - from);
    hear({std::span<const double>(ears[0]).subspan(first, count),
          std::span<const double>(ears[1]).subspan(first, count)});
  }
  at_ = end;
}

double bytes_of_moving_ears(const BinauralReceiver& receiver, double rate) {
  const ConvolutionBlocks blocks(taps_of(*receiver.filters, rate));
  return 8.0 * static_cast<double>(blocks.length()) *
         (8.0 * static_cast<double>(harmonic_count(receiver.filters->order)) + 8.0);
}

}  // namespace fdtd
