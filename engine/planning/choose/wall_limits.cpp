#include "engine/planning/choose/wall_limits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "base/known_values.hpp"
#include "base/parallel_failure.hpp"
#include "engine/materials/absorption.hpp"
#include "engine/walls/absorption_ratios.hpp"
#include "engine/walls/grid_fit.hpp"
#include "engine/walls/smooth_grid_fit.hpp"
#include "engine/walls/wall_taps.hpp"
#include "engine/walls/wall_waves.hpp"

namespace fdtd {
namespace {

constexpr double margin = 0.95;      // of the wall error
constexpr double full = 1.0 - 1e-9;  // a fraction that is 1 but for rounding
// Of that error: a fit on the way of a search that keeps it shows that the last one keeps the error. Of 2664 pairs of a
// stencil and a material of the library at the top of the band the last fit of 1160 keeps it; 1023 end early so, after 2
// searches of 17, one of them wrongly (28 with 1.0 here), which learn (grid_band.hpp) finds by the walls themselves.
constexpr double surely = 0.7;

// Those of `fits` that are fitted to a grid.
std::vector<const MaterialFit*> fitted(const std::vector<MaterialFit>& fits, double frequency,
                                       WallLimits::Materials which) {
  std::vector<const MaterialFit*> list;
  for (const MaterialFit& fit : fits)
    if (fits_on_grid(fit.branches)) list.push_back(&fit);
  if (which == WallLimits::Materials::all || list.empty()) return list;
  return {*std::ranges::min_element(
      list, {}, [&](const MaterialFit* fit) { return admittance(fit->branches, frequency).real(); })};
}

std::vector<MaterialLaw> laws_of_materials(const Scene& scene) {
  std::vector<MaterialLaw> laws;
  for (const std::string& name : scene.room.materials().names)
    laws.emplace_back(scene.materials.at(name), scene.air.speed());
  return laws;
}

std::vector<MaterialFit> fits_of_laws(const Scene& scene, const std::vector<MaterialLaw>& laws, double max_frequency) {
  const std::vector<std::string> names = scene.room.materials().names;
  std::vector<MaterialFit> fits;
  for (std::size_t m = 0; m < names.size(); ++m)
    fits.push_back(fit_material(scene.materials.at(names[m]), laws[m], max_frequency));
  return fits;
}

}  // namespace

std::vector<MaterialFit> fit_materials(const Scene& scene, double max_frequency) {
  return fits_of_laws(scene, laws_of_materials(scene), max_frequency);
}

const std::vector<MaterialFit>& WallLimits::fits(double max_frequency) {
  if (laws_.empty()) laws_ = laws_of_materials(scene_);
  const auto [place, is_new] = fits_.try_emplace(max_frequency);
  if (is_new) place->second = fits_of_laws(scene_, laws_, max_frequency);
  return place->second;
}

double WallLimits::valid_fraction(const GridStencil& stencil, int axis, const FrequencyMap& map, const Top& top,
                                  Materials which) {
  std::vector<double> numbers(stencil.courant.begin(), stencil.courant.end());
  const int most = max_taps(stencil, axis, top);
  numbers.insert(numbers.end(),
                 {static_cast<double>(axis), static_cast<double>(most), static_cast<double>(which), top.omega,
                  top.frequency, scene_.simulation.wall_error, static_cast<double>(map.kind()), stencil.centre});
  const std::vector<double> of_map = map.numbers();
  numbers.insert(numbers.end(), of_map.begin(), of_map.end());
  for (const Term& term : stencil.terms) {
    numbers.insert(numbers.end(), term.offset.begin(), term.offset.end());
    numbers.push_back(term.weight);
  }
  for (const MaterialFit& fit : fits(top.frequency)) {
    numbers.insert(numbers.end(), {fit.smooth_law ? 1.0 : 0.0, static_cast<double>(fit.branches.size())});
    for (const Branch& branch : fit.branches) numbers.insert(numbers.end(), {branch.D, branch.E, branch.F});
  }
  static KnownValues<double> known(4096);
  return known.of(std::move(numbers), [&] { return compute(stencil, axis, map, top, which, most); });
}

// Of a mesh they are those of the box around it, as make_wall_laws counts.
int WallLimits::max_taps(const GridStencil& stencil, int axis, const Top& top) const {
  if (top.cells[0] > 0) return room_for_taps(top.cells);
  const double time_step = top.omega / (2.0 * std::numbers::pi * top.frequency);
  const double spacing = scene_.air.speed() * time_step / stencil.courant[static_cast<std::size_t>(axis)];
  std::array<int, 3> cells{};
  for (std::size_t d = 0; d < 3; ++d)
    cells[d] = static_cast<int>(std::clamp(std::round(scene_.room.box[d] / spacing), 1.0, 1e6));
  return room_for_taps(cells);
}

double WallLimits::compute(const GridStencil& stencil, int axis, const FrequencyMap& map, const Top& top,
                           Materials which, int most) {
  const std::vector<const MaterialFit*> materials = fitted(fits(top.frequency), top.frequency, which);
  if (materials.empty()) return 1.0;
  const double time_step = top.omega / (2.0 * std::numbers::pi * top.frequency);
  const TapNeed need{scene_.simulation.wall_error, most};
  WallLaw law;
  law.taps = make_wall_taps(stencil, axis, top.omega, need).taps;
  std::vector<WallWave> waves = wall_waves(stencil, axis, map, top.omega);
  load_waves(waves, stencil, axis, law.taps);
  if (waves.empty()) return 1.0;
  std::vector<double> fractions(materials.size(), 1.0);
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic) firstprivate(law) if (materials.size() >= fits_worth_threads)
  for (std::size_t m = 0; m < materials.size(); ++m)
    failure.guard([&] {
      const std::vector<Branch>& branches = materials[m]->branches;
      const double error = margin * scene_.simulation.wall_error;
      const auto fraction_of = [&](const GridFit& fit, double within) {
        law.inertance = fit.inertance;
        law.branches = fit.branches;
        const std::vector<double> ratios = absorption_ratios(law, branches, time_step, waves);
        return valid_frequency(waves, ratios, within) / top.omega;
      };
      const auto surely_holds = [&](const GridFit& fit) { return fraction_of(fit, surely * error) >= full; };
      fractions[m] =
          fraction_of(materials[m]->smooth_law ? smooth_fit_on_grid(branches, time_step, waves)
                                               : search_on_grid(branches, time_step, waves, nullptr, surely_holds),
                      error);
    });
  failure.rethrow();
  const double least = *std::ranges::min_element(fractions);
  return least < full ? least : 1.0;
}

}  // namespace fdtd
