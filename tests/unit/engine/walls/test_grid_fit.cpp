#include "engine/walls/absorption_ratios.hpp"
#include "engine/walls/grid_fit.hpp"

#include <cmath>
#include <complex>
#include <numbers>
#include <optional>
#include <vector>

#include "engine/materials/material_fit.hpp"
#include "engine/walls/wall_taps.hpp"
#include "engine/walls/wall_waves.hpp"
#include "stencils/catalogue.hpp"
#include "stencils/dispersion.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

constexpr double time_step = 1e-4;

GridStencil cube(const char* name) {
  const Stencil& stencil = *find_stencil(name);
  return on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant});
}

std::vector<WallWave> waves_of(const GridStencil& stencil, bool removal, double highest) {
  std::vector<WallWave> waves = wall_waves(stencil, 0, removal ? FrequencyMap::time() : FrequencyMap(), highest);
  load_waves(waves, stencil, 0, make_wall_taps(stencil, 0, highest).taps);
  return waves;
}

WallLaw law_of(const GridFit& fit) {
  WallLaw law;
  law.inertance = fit.inertance;
  law.branches = fit.branches;
  return law;
}

}  // namespace

TEST_CASE("waves have the wave vector of theory, ascending frequencies and angles to 75 degrees") {
  const GridStencil stencil = cube("leggy-4/warp1");
  const double highest = 1.5 * four_points(stencil);
  const auto waves = wall_waves(stencil, 1, FrequencyMap::time(), highest);
  REQUIRE(waves.size() > 80);
  for (std::size_t i = 0; i < waves.size(); ++i) {
    const WallWave& wave = waves[i];
    if (i > 0) CHECK(wave.truth >= waves[i - 1].truth);
    CHECK(wave.cosine > 0.25);
    CHECK(wave.points == Approx(stencil.courant[1] * 2.0 * std::numbers::pi / wave.truth));
    const double across = std::hypot(wave.transverse[0], wave.transverse[1]);
    CHECK(std::hypot(wave.k, across) == Approx(wave.truth / stencil.courant[1]));
    // The grid's frequency, of which removal makes the true one within the stencil's dispersion.
    CHECK(2.0 * std::sin(wave.omega / 2.0) == Approx(wave.truth).epsilon(0.03));
    CHECK(wave.stretch == Approx(1.0 / std::cos(std::asin(wave.truth / 2.0))));
  }
  CHECK(waves.back().truth == highest);
}

TEST_CASE("no wave meets walls across an axis of one cell, and along it none travels") {
  const GridStencil stencil = on_grid(at_courant(*find_stencil("leggy-2"), 0.4), {0.4, 0.4, 0.0});
  CHECK(wall_waves(stencil, 2, {}, 0.5).empty());
  for (const WallWave& wave : wall_waves(stencil, 0, {}, 0.5)) CHECK(wave.transverse[1] == 0.0);
}

TEST_CASE("a fit on the grid is passive, right for weak and reactive walls, and ends at the frequency it is made for") {
  const std::vector<std::vector<Branch>> materials = {
      {{0.0, 50.0, 0.0}}, {{0.0, 2.0, 0.0}}, {{5e-4, 2.0, 1.2e3}}, {{2e-4, 1.5, 500.0}, {0.0, 6.0, 3000.0}}};
  for (const char* name : {"leggy-4", "leggy-8", "compact-3"}) {
    const GridStencil stencil = cube(name);
    const double highest = four_points(stencil);
    const auto waves = waves_of(stencil, false, highest);
    for (const auto& branches : materials) {
      CAPTURE(name, branches[0].D, branches[0].E);
      const GridFit fit = fit_on_grid(branches, time_step, waves);
      CHECK(fit.inertance >= 0.0);
      CHECK(!fit.branches.empty());
      CHECK(fit.branches.size() <= branch_limit(branches.size()));
      for (const LawBranch& b : fit.branches) {
        CHECK(b.D >= 0.0);
        CHECK(b.E > 0.0);
        CHECK(b.F >= 0.0);
      }
      const auto ratios = absorption_ratios(law_of(fit), branches, time_step, waves);
      CHECK(valid_frequency(waves, ratios, 0.1) == highest);
      CHECK(valid_frequency(waves, ratios, 0.05) == highest);
      CHECK(valid_frequency(waves, ratios, 0.0) < highest);
    }
  }
}

// Near grazing incidence cos theta is small against the admittance, and the decay of modes depends on its phase as on its
// magnitude. A fit to absorption and reflection alone lags there by .3 to .5 (root mean square, radians).
TEST_CASE(
    "before stencils with a radial map the fitted admittance has the phase of the material's at grazing incidence") {
  const std::vector<Branch> branches = {{0.0, 30.1, 60113.0}, {0.194, 126.4, 0.0}};
  for (const char* name : {"box-222/radial03", "box-111/radial1", "compact-9/radial03", "compact-4/radial1"}) {
    const GridStencil stencil = cube(name);
    const FrequencyMap map = frequency_map(*find_stencil(name));
    const double highest = rendered_omega(stencil, 0.02, map), step = highest / (2.0 * std::numbers::pi * 1414.0);
    std::vector<WallWave> waves = wall_waves(stencil, 0, map, highest);
    load_waves(waves, stencil, 0, make_wall_taps(stencil, 0, highest).taps);
    const GridFit fit = fit_on_grid(branches, step, waves);
    double squares = 0.0, count = 0.0;
    for (const WallWave& wave : waves) {
      if (wave.cosine > 0.3) continue;
      const std::complex<double> s(0.0, 2.0 * std::tan(wave.omega / 2.0)), truth(0.0, wave.truth / step);
      std::complex<double> y = 0.0, should = 0.0;
      for (const LawBranch& b : fit.branches) y += 1.0 / (b.D * s + b.E + b.F / s);
      for (const Branch& b : branches) should += 1.0 / (b.D * truth + b.E + b.F / truth);
      const std::complex<double> met = fit.inertance * s + 1.0 / y + std::complex<double>(0.0, wave.load.imag());
      squares += std::pow(std::arg(met * should), 2);
      count += 1.0;
    }
    CAPTURE(name);
    REQUIRE(count > 8.0);
    CHECK(std::sqrt(squares / count) < 0.23);
  }
}

TEST_CASE("a fit near another is as good") {
  const GridStencil stencil = cube("compact-9");
  const std::vector<Branch> branches = {{5e-4, 2.0, 1.2e3}};
  const double highest = 1.3 * four_points(stencil);
  const GridFit first = fit_on_grid(branches, time_step, waves_of(stencil, false, 0.98 * highest));
  const auto waves = waves_of(stencil, false, highest);
  const GridFit second = fit_on_grid(branches, time_step, waves, &first);
  const auto ratios = absorption_ratios(law_of(second), branches, time_step, waves);
  CHECK(valid_frequency(waves, ratios, 0.1) > 0.9 * highest);
}

// The parquet of the example hall at 2 kHz: the fit for the first axis needs a branch more than the material, and one
// from there for an axis whose spacing is a thousandth larger lost it, and was 30 % off.
TEST_CASE("a known fit is not taken for another") {
  const GridStencil stencil = cube("leggy-2/opt1");
  const std::vector<WallWave> waves = waves_of(stencil, false, four_points(stencil));
  const std::vector<Branch> branches = {{1e-4, 12.0, 2e3}};
  const auto same = [](const GridFit& a, const GridFit& b) {
    bool all = a.inertance == b.inertance && a.branches.size() == b.branches.size();
    for (std::size_t i = 0; all && i < a.branches.size(); ++i)
      all = a.branches[i].D == b.branches[i].D && a.branches[i].E == b.branches[i].E &&
            a.branches[i].F == b.branches[i].F;
    return all;
  };
  const GridFit as_it_is = fit_on_grid(branches, time_step, waves),
                near = search_on_grid(branches, time_step, waves, nullptr);
  CHECK(same(as_it_is, near));
  std::vector<WallWave> heavier = waves, stretched = waves;
  for (WallWave& wave : heavier) wave.load *= 1.01;
  for (WallWave& wave : stretched) wave.stretch *= 0.99;
  const std::vector<Branch> harder = {{1e-4, 12.1, 2e3}};
  const std::vector<WallWave> fewer(waves.begin(), waves.end() - 6);
  for (int again = 0; again < 2; ++again) {
    CHECK(same(fit_on_grid(branches, time_step, waves), as_it_is));
    CHECK(same(fit_on_grid(branches, time_step, waves, &near), search_on_grid(branches, time_step, waves, &near)));
    CHECK(same(fit_on_grid(harder, time_step, waves), search_on_grid(harder, time_step, waves, nullptr)));
    CHECK(same(fit_on_grid(branches, 1.01 * time_step, waves),
               search_on_grid(branches, 1.01 * time_step, waves, nullptr)));
    for (const auto& others : {heavier, stretched, fewer})
      CHECK(same(fit_on_grid(branches, time_step, others), search_on_grid(branches, time_step, others, nullptr)));
  }
  CHECK_FALSE(same(fit_on_grid(harder, time_step, waves), as_it_is));
  CHECK_FALSE(same(fit_on_grid(branches, time_step, heavier), as_it_is));
}

TEST_CASE("a search ends at the first fit that is taken, and is no other where none is") {
  const GridStencil stencil = cube("leggy-4/warp1");
  const auto waves = waves_of(stencil, true, 1.5 * four_points(stencil));
  // The last one is so faint that it is fitted as one that absorbs more.
  for (const std::vector<Branch>& branches : std::vector<std::vector<Branch>>{
           {{2e-4, 1.5, 500.0}, {0.0, 6.0, 3000.0}, {1e-3, 40.0, 0.0}}, {{0.0, 2e7, 1e6}}}) {
    const GridFit best = search_on_grid(branches, time_step, waves, nullptr);
    std::vector<GridFit> met;
    const GridFit last = search_on_grid(branches, time_step, waves, nullptr, [&](const GridFit& fit) {
      met.push_back(fit);
      return false;
    });
    REQUIRE(last.inertance == best.inertance);
    REQUIRE(last.branches.size() == best.branches.size());
    CHECK(last.branches[0].E == best.branches[0].E);
    REQUIRE(met.size() > 5);
    for (const std::size_t taken : {std::size_t{0}, std::size_t{4}}) {
      std::size_t seen = 0;
      const GridFit fit =
          search_on_grid(branches, time_step, waves, nullptr, [&](const GridFit&) { return seen++ == taken; });
      CHECK(seen == taken + 1);
      CHECK(fit.inertance == met[taken].inertance);
      REQUIRE(fit.branches.size() == met[taken].branches.size());
      CHECK(fit.branches[0].E == met[taken].branches[0].E);
      CHECK(fit.branches[0].F == met[taken].branches[0].F);
    }
  }
}

TEST_CASE("a fit near another keeps the branches that it needs") {
  Material parquet;
  parquet.kind = Material::Kind::absorption;
  parquet.bands = {125.0, 250.0, 500.0, 1000.0};
  parquet.alpha = {0.04, 0.04, 0.07, 0.06};
  const MaterialFit material = fit_material(parquet, 2000.0);
  const Stencil& weights = *find_stencil("leggy-4/warp1");
  constexpr double step = 4.593e-5;
  const double courant = 0.999 * weights.courant, highest = 2.0 * std::numbers::pi * 2000.0 * step;
  std::optional<GridFit> near;
  for (const double ratio : {1.0, 0.999, 1.0005, 0.9995}) {
    const GridStencil stencil = on_grid(weights, {ratio * courant, courant, courant});
    std::vector<WallWave> waves = wall_waves(stencil, 0, FrequencyMap::time(), highest);
    load_waves(waves, stencil, 0, fit_wall_taps(stencil, 0, highest, 3).taps);
    near = fit_on_grid(material.branches, step, waves, near ? &*near : nullptr);
    CAPTURE(ratio, near->branches.size());
    const auto ratios = absorption_ratios(law_of(*near), material.branches, step, waves);
    CHECK(valid_frequency(waves, ratios, 0.04) == highest);
  }
}

TEST_CASE("at most two branches more, and no more than five unless the material has them") {
  CHECK(branch_limit(0) == 0);
  CHECK(branch_limit(1) == 3);
  CHECK(branch_limit(3) == 5);
  CHECK(branch_limit(4) == 5);
  CHECK(branch_limit(9) == 9);
}
