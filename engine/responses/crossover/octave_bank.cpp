#include "engine/responses/crossover/octave_bank.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fdtd {
namespace {

const double quarter_octave = std::pow(2.0, 0.25);

// A quarter turn at the place of `frequency` between `low` and `high` on a logarithmic scale: 0 at `low` and below, pi/2
// at `high` and above.
double quarter_turn(double frequency, double low, double high) {
  if (frequency <= low) return 0.0;
  if (frequency >= high) return 0.5 * std::numbers::pi;
  return 0.5 * std::numbers::pi * std::log(frequency / low) / std::log(high / low);
}

// The amplitude of all octaves above the one of `centre` together.
double above_octave(double centre, double frequency) {
  const double border = centre * std::numbers::sqrt2;
  const double sine = std::sin(quarter_turn(frequency, border / quarter_octave, border * quarter_octave));
  return sine * sine;
}

double crossover_turn(Crossover crossover, double frequency) {
  return quarter_turn(frequency, crossover.from, crossover.to);
}

}  // namespace

std::vector<double> bank_amplitudes(std::span<const double> centres, double frequency) {
  std::vector<double> amplitudes;
  double above = 1.0;  // of this octave and all above it together
  for (std::size_t b = 0; b < centres.size(); ++b) {
    const double next = b + 1 < centres.size() ? above_octave(centres[b], frequency) : 0.0;
    amplitudes.push_back(above - next);
    above = next;
  }
  return amplitudes;
}

std::vector<BankOctave> bank_on_bins(std::span<const double> centres, double rate, std::size_t length) {
  const double bin = rate / static_cast<double>(length);
  const std::size_t bins = length / 2 + 1;
  // By octave the first bin above a frequency, or one past the last bin.
  const auto bin_above = [&](double frequency) {
    return static_cast<std::size_t>(std::min(std::floor(frequency / bin) + 1.0, static_cast<double>(bins)));
  };
  std::vector<BankOctave> octaves(centres.size());
  std::vector<double> before;  // this octave and all above together, from its first bin on; 1 after
  for (std::size_t b = 0; b < centres.size(); ++b) {
    const bool highest = b + 1 == centres.size();
    const double border = centres[b] * std::numbers::sqrt2;
    const std::size_t falls = highest ? bins : bin_above(border / quarter_octave);
    const std::size_t end = highest ? bins : bin_above(border * quarter_octave);
    const std::size_t first = octaves[b].first;
    std::vector<double> next;
    for (std::size_t k = falls; k < end; ++k) next.push_back(above_octave(centres[b], static_cast<double>(k) * bin));
    for (std::size_t k = first; k < end; ++k) {
      const double rises = k - first < before.size() ? before[k - first] : 1.0;
      octaves[b].amplitudes.push_back(k < falls ? rises : rises - next[k - falls]);
    }
    if (!highest) octaves[b + 1].first = falls;
    before = std::move(next);
  }
  return octaves;
}

double wave_weight(Crossover crossover, double frequency) {
  const double cosine = std::cos(crossover_turn(crossover, frequency));
  return frequency >= crossover.to && frequency > crossover.from ? 0.0 : cosine * cosine;
}

double coherent_weight(Crossover crossover, double frequency) {
  const double sine = std::sin(crossover_turn(crossover, frequency));
  return sine * sine;
}

// 1 - cos^4 = sin^2 (1 + cos^2), without a difference of nearly equal numbers.
double incoherent_weight(Crossover crossover, double frequency) {
  const double turn = crossover_turn(crossover, frequency), cosine = std::cos(turn);
  return std::sin(turn) * std::sqrt(1.0 + cosine * cosine);
}

}  // namespace fdtd
