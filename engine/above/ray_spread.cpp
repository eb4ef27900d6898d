#include "engine/above/ray_spread.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <optional>

#include "base/math/fourier.hpp"
#include "base/parallel_failure.hpp"
#include "engine/responses/crossover/octave_bank.hpp"
#include "engine/responses/decay.hpp"

namespace fdtd {
namespace {

constexpr double early_limit = 0.08;  // s, of C80
constexpr double least_fall = -30.0;  // dB
constexpr double of_record = 0.9;     // in which a decay falls by it

// Of one half of a decay by bins.
struct HalfFigures {
  std::optional<double> T20;  // s
  double C80 = 0.0, G = 0.0;  // dB; G: of the energy, whatever its reference
  double late = 0.0;          // dB, of what is left after of_record
};

double spread_decibels(double ratio) { return 10.0 * std::log10(std::max(ratio, 1e-30)); }

HalfFigures figures_of_bins(std::span<const double> energies, std::size_t onset, double bin) {
  HalfFigures figures;
  Decay decay;
  decay.rate = 1.0 / bin;
  decay.end = energies.size() - onset;
  decay.level.resize(decay.end + 1);
  const auto limit = static_cast<std::size_t>(early_limit / bin + 0.5);
  double sum = 0.0, after = 0.0;
  for (std::size_t i = decay.end + 1; i-- > 0;) {
    if (i < decay.end) sum += energies[onset + i];
    if (i >= limit) after = sum;
    decay.level[i] = sum;
  }
  double ahead = 0.0;
  for (std::size_t i = 0; i < onset; ++i) ahead += energies[i];
  for (double& level : decay.level) level = spread_decibels(level / std::max(sum, 1e-300));
  decay.total = sum + ahead;
  figures.G = spread_decibels(decay.total);
  figures.C80 = spread_decibels((decay.total - after) / std::max(after, 1e-300));
  figures.late = decay.level[static_cast<std::size_t>(of_record * static_cast<double>(decay.end))];
  if (const auto line = fit_line(decay, -5.0, -25.0)) figures.T20 = line->time;
  return figures;
}

RaySpread spread_of_halves(const std::array<HalfFigures, 2>& half, const HalfFigures& both) {
  RaySpread spread;
  spread.C80 = 0.5 * std::abs(half[0].C80 - half[1].C80);
  spread.G = 0.5 * std::abs(half[0].G - half[1].G);
  if (!both.T20 || both.late > least_fall) return spread;
  spread.T20 = half[0].T20 && half[1].T20 ? std::abs(*half[0].T20 - *half[1].T20) / (*half[0].T20 + *half[1].T20) : 1.0;
  return spread;
}

}  // namespace

std::vector<double> early_energies(std::span<const double> early, std::span<const double> octaves, double bin,
                                   std::size_t bins) {
  constexpr double ringing = 0.05;  // s, of the bank's filters
  const std::int64_t length =
      smooth_length(static_cast<std::int64_t>(early.size()) + static_cast<std::int64_t>(ringing * early_rate));
  const std::vector<std::complex<double>> spectrum = real_fft(early, length);
  const std::vector<BankOctave> bank = bank_on_bins(octaves, early_rate, static_cast<std::size_t>(length));
  const double width = bin * early_rate;  // samples
  std::vector<double> energies(octaves.size() * bins, 0.0);
  for (std::size_t o = 0; o < octaves.size(); ++o) {
    std::vector<std::complex<double>> octave(spectrum.size());
    double passed = 0.0;  // of the energy of a pulse
    for (std::size_t k = 0; k < bank[o].amplitudes.size(); ++k) {
      const std::size_t at = bank[o].first + k;
      const double frequency = static_cast<double>(at) * early_rate / static_cast<double>(length);
      // Half an octave below the lowest centre: the bank is open there, and early sound has what the waves have too.
      if (frequency < octaves[o] / 2.0) continue;
      octave[at] = bank[o].amplitudes[k] * spectrum[at];
      passed += 2.0 * bank[o].amplitudes[k] * bank[o].amplitudes[k] / static_cast<double>(length);
    }
    const std::vector<double> filtered = inverse_real_fft(octave, length);
    for (std::size_t i = 0; i < early.size(); ++i) {
      const auto b = static_cast<std::size_t>(static_cast<double>(i) / width);
      if (b < bins && passed > 0.0) energies[o * bins + b] += filtered[i] * filtered[i] / passed;
    }
  }
  return energies;
}

std::vector<RaySpread> spread_of(const RayEnergies& sums, std::int64_t rays, std::span<const SpreadReceiver> receivers,
                                 std::span<const double> octaves, std::size_t all_octaves, std::size_t all_receivers,
                                 double bin) {
  std::vector<std::vector<RaySpread>> of_receiver(receivers.size());
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic) if (receivers.size() > 1)
  for (std::size_t n = 0; n < receivers.size(); ++n)
    failure.guard([&] {
      const SpreadReceiver& one = receivers[n];
      const auto onset = std::min(static_cast<std::size_t>(one.start / bin), sums.bins);
      for (std::size_t o = 0; o < octaves.size(); ++o) {
        std::array<std::vector<double>, 2> half;
        std::vector<double> both(sums.bins);
        for (std::size_t h = 0; h < 2; ++h) {
          const double* const from =
              sums.energy.data() + ((h * all_receivers + one.number) * all_octaves + o) * sums.bins;
          half[h].resize(sums.bins);
          for (std::size_t b = 0; b < sums.bins; ++b) {
            const double late = from[b] / static_cast<double>(rays), early = one.early[o * sums.bins + b];
            half[h][b] = early + 2.0 * late;
            both[b] += 0.5 * half[h][b];
          }
        }
        of_receiver[n].push_back(
            spread_of_halves({figures_of_bins(half[0], onset, bin), figures_of_bins(half[1], onset, bin)},
                             figures_of_bins(both, onset, bin)));
      }
    });
  failure.rethrow();
  std::vector<RaySpread> spread(octaves.size());
  for (const auto& one : of_receiver) join(spread, one);
  return spread;
}

void join(std::vector<RaySpread>& spread, const std::vector<RaySpread>& other) {
  spread.resize(std::max(spread.size(), other.size()));
  for (std::size_t o = 0; o < other.size(); ++o) {
    spread[o].C80 = std::max(spread[o].C80, other[o].C80);
    spread[o].G = std::max(spread[o].G, other[o].G);
    if (other[o].T20) spread[o].T20 = std::max(spread[o].T20.value_or(0.0), *other[o].T20);
  }
}

std::string spread_text(const AboveRecord& record) {
  if (record.spread.empty()) return {};
  std::string end;
  const bool any = std::ranges::any_of(record.spread, [](const RaySpread& one) { return one.T20.has_value(); });
  if (record.ray_end == RayEnd::converged)
    end =
        any ? ", T20 of their halves agrees within 3 %" : ", no decay is long enough for a T20 by which to judge them";
  if (record.ray_end == RayEnd::most)
    end = ", the most of above.rays = \"auto\": T20 of their halves differs by more than 3 %";
  if (record.ray_end == RayEnd::work)
    end = ", as many as above.rays = \"auto\" has time for: T20 of their halves differs by more than 3 %";
  std::string text = fmt::format(
      "rays: {} a source{}\nspread of figures by geometry, half of the largest difference between halves of the rays:\n"
      "{:>8} {:>8} {:>9} {:>9}\n",
      record.rays, end, "octave", "T20 %", "C80 dB", "G dB");
  for (std::size_t o = 0; o < record.spread.size() && o < record.octaves.size(); ++o) {
    const RaySpread& one = record.spread[o];
    text += fmt::format("{:>8.0f} {:>8} {:>9.2f} {:>9.2f}\n", record.octaves[o],
                        one.T20 ? fmt::format("{:.1f}", 100.0 * *one.T20) : "-", one.C80, one.G);
  }
  return text;
}

}  // namespace fdtd
