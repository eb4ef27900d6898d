#include "engine/planning/judge/wall_phase.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "engine/materials/absorption.hpp"
#include "engine/planning/make_plan.hpp"
#include "engine/walls/grid_fit.hpp"
#include "engine/walls/half_space.hpp"
#include "engine/walls/wall_taps.hpp"
#include "scenes/toml/parse.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/scene_text.hpp"
#include "tests/support/solutions/plane_wave.hpp"

namespace fdtd::test {
namespace {

constexpr double time_step = 1e-4;

// In continuous air at Courant number 1, of 8 points a wavelength: what meets the wall is 1 / cosine.
WallWave wave_at(double cosine) {
  WallWave wave;
  wave.truth = wave.omega = 2.0 * std::numbers::pi / 8.0;
  wave.cosine = cosine;
  wave.k = wave.truth * cosine;
  wave.load = {1.0 / cosine, 0.0};
  return wave;
}

WallLaw law_of(std::vector<LawBranch> branches) {
  WallLaw law;
  law.branches = std::move(branches);
  return law;
}

}  // namespace

TEST_CASE("a wall with the reflection of theory stands in its place, one with a layer of air behind it further out") {
  const std::vector<Branch> wall = {{0.0, 40.0, 0.0}};
  const std::vector<WallWave> waves = {wave_at(1.0), wave_at(0.5)};
  for (const double found : wall_displacements(law_of({{0.0, 40.0, 0.0}}), wall, time_step, waves))
    CHECK(found == Approx(0.0).margin(1e-12));
  // A layer of depth d has the admittance i k d: along the wall nothing moves in it, and a wave at the angle theta sees
  // d / cos^2.
  const double depth = 0.02, spring = 2.0 * std::tan(waves[0].omega / 2.0) / (depth * waves[0].truth);
  const std::vector<double> moved =
      wall_displacements(law_of({{0.0, 40.0, 0.0}, {0.0, 0.0, spring}}), wall, time_step, waves);
  CHECK(moved[0] == Approx(depth).epsilon(0.01));
  CHECK(moved[1] == Approx(depth / 0.25).epsilon(0.01));
  CHECK(furthest_displacement(waves, moved, waves[0].truth) == moved[1]);
  CHECK(furthest_displacement(waves, moved, 0.99 * waves[0].truth) == 0.0);
}

TEST_CASE("a wave that a wall hardly reflects sees no place of it") {
  const std::vector<WallWave> waves = {wave_at(1.0), wave_at(0.1)};
  const std::vector<double> found = wall_displacements(law_of({{0.0, 9.0, 0.1}}), {{0.0, 10.0, 0.0}}, time_step, waves);
  CHECK(std::abs(found[0]) > 1e-4);
  CHECK(std::isnan(found[1]));  // the admittance is the cosine
  CHECK(furthest_displacement(waves, found, 10.0) == found[0]);
}

TEST_CASE("the displacement is that of the exact reflection of the scheme") {
  const Stencil& stencil = *find_stencil("leggy-4");
  const GridStencil cube = on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant});
  const double highest = four_points(cube);
  const auto taps = make_wall_taps(cube, 0, highest).taps;
  std::vector<WallWave> waves = wall_waves(cube, 0, {}, highest);
  load_waves(waves, cube, 0, taps);
  const std::vector<Branch> wall = {{2e-4, 10.0, 4e3}};
  WallLaw law = law_of({{2.0, 10.0, 0.4}});
  law.inertance = 1.0;
  law.taps = taps;
  const std::vector<double> found = wall_displacements(law, wall, time_step, waves);
  for (std::size_t i = 0; i < waves.size(); ++i) {
    const WallWave& wave = waves[i];
    const auto space = half_space(normal_symbol(cube, 0, wave.transverse), wave.omega, taps);
    REQUIRE(space);
    const auto theory =
        theoretical_reflection(1.0 / admittance(wall, wave.truth / (2.0 * std::numbers::pi * time_step)), wave.cosine);
    const auto reflected = reflection(*space, discrete_impedance(law, wave.omega));
    CAPTURE(i, wave.points, wave.cosine);
    CHECK(std::isnan(found[i]) == (std::norm(theory) < min_reflection));
    if (std::isnan(found[i])) continue;
    CHECK(found[i] == Approx(-std::arg(reflected / theory) / (2.0 * wave.k)).epsilon(0.05).margin(6e-3));
  }
  CHECK(std::abs(furthest_displacement(waves, found, highest)) > 0.015);
}

TEST_CASE("a plan has the place where its walls appear, of reactive walls without losses, too") {
  SceneText text;
  text.simulation = "duration = 0.1\nmax_frequency = 500.0\nstencil = \"leggy-4\"\n";
  text.box = "[3.0, 2.5, 2.0]";
  text.walls = "default = \"soft\"\nz_min = \"spring\"\ny_max = \"rigid\"\n";
  text.materials =
      "[materials.soft]\nadmittance = 0.1\n[materials.rigid]\nrigid = true\n[materials.spring]\nbranches = [{ D = 0.0, "
      "E = 0.0, F = 2e4 }]\n";
  const ParsedScene parsed = parse_scene(text_of(text), "room.toml");
  for (const Problem& problem : parsed.problems) UNSCOPED_INFO(problem.message);
  REQUIRE(parsed.problems.empty());
  const PlanResult planned = make_plan(parsed.scene, *find_stencil("leggy-4"));
  REQUIRE(planned.walls.size() == 2);
  for (const WallAccuracy& one : planned.walls) {
    CAPTURE(one.material, one.displacement, planned.choice.grid.spacing[0]);
    CHECK(one.displacement != 0.0);
    CHECK(std::abs(one.displacement) < 0.5 * planned.choice.grid.spacing[0]);
  }
}

}  // namespace fdtd::test
