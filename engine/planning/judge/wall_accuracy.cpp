#include "engine/planning/judge/wall_accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "engine/materials/absorption.hpp"
#include "engine/planning/judge/wall_phase.hpp"
#include "engine/walls/absorption_ratios.hpp"
#include "engine/walls/grid_fit.hpp"
#include "engine/walls/wall_waves.hpp"

namespace fdtd {
namespace {

constexpr int points_a_band = 12;  // as in octave_band_absorption

// Absorption on the grid over theory's at one frequency: over the angles, weighted as a diffuse field meets the wall.
struct RatioAt {
  double frequency, ratio;  // Hz
};

std::vector<RatioAt> ratios_by_frequency(const std::vector<WallWave>& waves, const std::vector<double>& ratios,
                                         const MaterialFit& fit, double time_step) {
  std::vector<RatioAt> by_frequency;
  for (std::size_t begin = 0, end = 0; begin < waves.size(); begin = end) {
    const double frequency = waves[begin].truth / (2.0 * std::numbers::pi * time_step);
    const std::complex<double> y = admittance(fit.branches, frequency);
    double sum = 0.0, theory = 0.0;
    for (end = begin; end < waves.size() && waves[end].truth == waves[begin].truth; ++end) {
      const double cosine = waves[end].cosine, sine = std::sqrt(1.0 - cosine * cosine);
      const double absorbed = 4.0 * cosine * y.real() / std::norm(cosine + y);
      const double weight = absorbed * cosine * std::max(sine, 0.1);
      sum += ratios[end] * weight;
      theory += weight;
    }
    by_frequency.push_back({frequency, theory > 0.0 ? sum / theory : 1.0});
  }
  return by_frequency;
}

double ratio_at(const std::vector<RatioAt>& by_frequency, double frequency) {
  const auto above = std::ranges::find_if(by_frequency, [&](const RatioAt& s) { return s.frequency >= frequency; });
  if (above == by_frequency.begin()) return by_frequency.front().ratio;
  if (above == by_frequency.end()) return by_frequency.back().ratio;
  const RatioAt &low = *std::prev(above), &high = *above;
  return low.ratio + (high.ratio - low.ratio) * (frequency - low.frequency) / (high.frequency - low.frequency);
}

// The fitted absorption of the octave times what the grid makes of the part below max_frequency.
double band_on_grid(const MaterialFit& fit, std::size_t band, const std::vector<RatioAt>& by_frequency,
                    double max_frequency) {
  const double centre = fit.bands[band];
  double sum = 0.0, theory = 0.0;
  for (int j = 0; j < points_a_band; ++j) {
    const double frequency = centre * std::exp2((j + 0.5) / points_a_band - 0.5);
    if (frequency > max_frequency) break;
    const double alpha = random_incidence_absorption(admittance(fit.branches, frequency));
    sum += alpha * ratio_at(by_frequency, frequency);
    theory += alpha;
  }
  return theory > 0.0 ? fit.fitted[band] * sum / theory : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

namespace {

// Of the laws of one material, which differ by axis: the displacement that is furthest from 0 up to `frequency`.
double displacement_of(const MaterialFit& fit, const std::vector<const WallLaw*>& laws, const GridChoice& choice,
                       const std::array<std::vector<WallWave>, 3>& waves, double frequency) {
  const double time_step = choice.grid.time_step, highest = 2.0 * std::numbers::pi * frequency * time_step;
  double furthest = 0.0;
  for (const WallLaw* const law : laws) {
    const auto axis = static_cast<std::size_t>(law->axis);
    const std::vector<double> cells = wall_displacements(*law, fit.branches, time_step, waves[axis]);
    const double one = furthest_displacement(waves[axis], cells, highest) * choice.grid.spacing[axis];
    if (std::abs(one) > std::abs(furthest)) furthest = one;
  }
  return furthest;
}

}  // namespace

std::vector<WallAccuracy> judge_walls(const std::vector<MaterialFit>& fits, const std::vector<WallLaw>& laws,
                                      const GridChoice& choice, double wall_error) {
  std::vector<WallAccuracy> result;
  const double time_step = choice.grid.time_step;
  const double highest = 2.0 * std::numbers::pi * choice.max_frequency * time_step;
  std::array<std::vector<WallWave>, 3> waves;
  for (const WallLaw& law : laws) {
    auto& across = waves[static_cast<std::size_t>(law.axis)];
    if (law.inward != 1 || !across.empty()) continue;
    across = wall_waves(choice.grid_stencil, law.axis, choice.frequency_map, highest);
    load_waves(across, choice.grid_stencil, law.axis, law.taps);
  }
  for (std::size_t m = 0; m < fits.size(); ++m) {
    const MaterialFit& fit = fits[m];
    if (fit.branches.empty()) continue;
    std::vector<const WallLaw*> own;
    for (const WallLaw& law : laws)
      if (law.inward == 1 && !waves[static_cast<std::size_t>(law.axis)].empty() &&
          static_cast<std::size_t>(law.material) == m)
        own.push_back(&law);
    if (own.empty()) continue;
    WallAccuracy accuracy{fit.name, choice.max_frequency, std::vector<double>(fit.bands.size(), 0.0)};
    for (const WallLaw* const law : own) {
      const auto& across = waves[static_cast<std::size_t>(law->axis)];
      const std::vector<double> ratios = absorption_ratios(*law, fit.branches, time_step, across);
      const double valid = valid_frequency(across, ratios, wall_error) / (2.0 * std::numbers::pi * time_step);
      if (valid < choice.max_frequency * (1.0 - 1e-9))
        accuracy.valid_bandwidth = std::min(accuracy.valid_bandwidth, valid);
      const std::vector<RatioAt> by_frequency = ratios_by_frequency(across, ratios, fit, time_step);
      for (std::size_t i = 0; i < fit.bands.size(); ++i)
        accuracy.on_grid[i] +=
            band_on_grid(fit, i, by_frequency, choice.max_frequency) / static_cast<double>(own.size());
    }
    accuracy.displacement = displacement_of(fit, own, choice, waves, accuracy.valid_bandwidth);
    result.push_back(std::move(accuracy));
  }
  std::ranges::sort(result, {}, &WallAccuracy::material);
  return result;
}

double wall_bandwidth(const std::vector<WallAccuracy>& walls, const GridChoice& choice) {
  double least = choice.max_frequency;
  for (const WallAccuracy& one : walls) least = std::min(least, one.valid_bandwidth);
  return least;
}

}  // namespace fdtd
