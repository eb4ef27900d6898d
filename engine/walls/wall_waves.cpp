#include "engine/walls/wall_waves.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "base/known_values.hpp"
#include "engine/walls/half_space.hpp"
#include "stencils/dispersion.hpp"

namespace fdtd {
namespace {

// Fractions of the highest frequency: dense towards it, where a wall is hardest to make, and a few far below, so that
// branches stay right there.
constexpr std::array<double, 19> fractions = {1e-3, 4e-3, 0.015, 0.04, 0.08, 0.14, 0.2,  0.27, 0.34, 0.41,
                                              0.48, 0.55, 0.62,  0.69, 0.76, 0.82, 0.88, 0.94, 1.0};
constexpr double resolved = 0.1;  // fractions from here on have all angles
constexpr std::array<double, 6> degrees = {0.0, 15.0, 30.0, 45.0, 60.0, 75.0};

// Transverse directions: in turns along the first of the two other axes, and between them.
std::array<double, 2> azimuth(const std::array<double, 2>& courant, std::size_t turn) {
  if (turn == 0 || (courant[0] <= 0.0 && courant[1] <= 0.0)) return {0.0, 0.0};
  if (courant[0] <= 0.0) return {0.0, 1.0};
  if (courant[1] <= 0.0 || turn % 2 == 1) return {1.0, 0.0};
  return {std::numbers::sqrt2 / 2.0, std::numbers::sqrt2 / 2.0};
}

std::array<std::size_t, 2> others(int axis) { return {axis == 0 ? std::size_t{1} : 0, axis == 2 ? std::size_t{1} : 2}; }

}  // namespace

double reading(std::span<const double> taps, double k) {
  double sum = 0.0;
  for (std::size_t j = 0; j < taps.size(); ++j) sum += taps[j] * std::cos((static_cast<double>(j) + 0.5) * k);
  return sum;
}

double four_points(const GridStencil& stencil) {
  const double largest = *std::ranges::max_element(stencil.courant);
  return largest * std::numbers::pi / 2.0;
}

std::vector<WallWave> wall_waves(const GridStencil& stencil, int axis, const FrequencyMap& map, double highest) {
  const double courant = stencil.courant[static_cast<std::size_t>(axis)];
  const auto [first, second] = others(axis);
  const std::array<double, 2> across = {stencil.courant[first], stencil.courant[second]};
  std::vector<WallWave> waves;
  if (courant <= 0.0) return waves;
  for (const double fraction : fractions) {
    for (std::size_t turn = 0; turn < degrees.size(); ++turn) {
      if (fraction < resolved && turn != 0 && turn != 4) continue;
      const std::array<double, 2> direction = azimuth(across, turn);
      const bool normal = direction[0] == 0.0 && direction[1] == 0.0;
      if (turn != 0 && normal) continue;  // nothing lies across
      const double angle = degrees[turn] * std::numbers::pi / 180.0;
      WallWave wave;
      wave.truth = fraction * highest;
      wave.cosine = std::cos(angle);
      wave.points = courant * 2.0 * std::numbers::pi / wave.truth;
      wave.k = wave.truth * wave.cosine / courant;
      Vec3 k{};
      k[static_cast<std::size_t>(axis)] = wave.k;
      for (std::size_t d = 0; d < 2; ++d)
        if (across[d] > 0.0) k[d == 0 ? first : second] = wave.truth * std::sin(angle) * direction[d] / across[d];
      const double half = symbol(stencil, k) / 2.0;
      if (std::ranges::any_of(k, [](double one) { return one >= std::numbers::pi; }) || std::abs(half) >= 1.0) continue;
      wave.omega = std::acos(half);
      wave.transverse = {k[first], k[second]};
      if (map.undoes()) {
        if (wave.truth >= map.limit()) continue;
        wave.stretch = map.slope(wave.truth);
      }
      waves.push_back(wave);
    }
  }
  return waves;
}

namespace {

// All that the loads depend on.
std::vector<double> arguments_of_loads(const std::vector<WallWave>& waves, const GridStencil& stencil, int axis,
                                       std::span<const double> taps) {
  std::vector<double> all = {static_cast<double>(axis), static_cast<double>(taps.size()), stencil.centre,
                             static_cast<double>(stencil.radius)};
  all.insert(all.end(), taps.begin(), taps.end());
  all.insert(all.end(), stencil.courant.begin(), stencil.courant.end());
  all.push_back(static_cast<double>(stencil.terms.size()));
  for (const Term& term : stencil.terms) {
    all.insert(all.end(), term.offset.begin(), term.offset.end());
    all.push_back(term.weight);
  }
  for (const WallWave& wave : waves)
    all.insert(all.end(), {wave.truth, wave.cosine, wave.points, wave.omega, wave.k, wave.transverse[0],
                           wave.transverse[1], wave.stretch});
  return all;
}

void find_loads(std::vector<WallWave>& waves, const GridStencil& stencil, int axis, std::span<const double> taps) {
  std::erase_if(waves, [&](WallWave& wave) {
    const auto space = half_space(normal_symbol(stencil, axis, wave.transverse), wave.omega, taps);
    if (!space || std::abs(space->k - wave.k) > 1e-6) return true;  // a shorter wave has this frequency, too
    const double read = reading(taps, wave.k);
    wave.load = {read * read / (wave.stretch * wave.cosine), space->impedance.imag()};
    return false;
  });
}

}  // namespace

void load_waves(std::vector<WallWave>& waves, const GridStencil& stencil, int axis, std::span<const double> taps) {
  static KnownValues<std::vector<WallWave>> known(256);  // of some ten kilobytes each
  waves = known.of(arguments_of_loads(waves, stencil, axis, taps), [&] {
    std::vector<WallWave> loaded = waves;
    find_loads(loaded, stencil, axis, taps);
    return loaded;
  });
}

void load_waves_at_wall(std::vector<WallWave>& waves, double courant) {
  for (WallWave& wave : waves) wave.load = {1.0 / (wave.stretch * wave.cosine), -std::tan(wave.omega / 2.0) / courant};
}

}  // namespace fdtd
