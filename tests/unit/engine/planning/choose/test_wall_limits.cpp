#include "engine/planning/choose/wall_limits.hpp"

#include <numbers>
#include <string>
#include <vector>

#include "engine/planning/choose/grid_choice.hpp"
#include "engine/walls/absorption_ratios.hpp"
#include "engine/walls/grid_fit.hpp"
#include "engine/walls/wall_taps.hpp"
#include "scenes/toml/parse.hpp"
#include "stencils/catalogue.hpp"
#include "stencils/known_dispersion.hpp"
#include "stencils/radial.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/scene_text.hpp"

namespace fdtd::test {
namespace {

Scene room_with(const std::string& material) {
  SceneText scene;
  scene.simulation = "duration = 0.1\nmax_frequency = 800.0\n";
  scene.materials = "[materials.panel]\n" + material + "\n";
  const ParsedScene parsed = parse_scene(text_of(scene), "room.toml");
  for (const Problem& problem : parsed.problems) UNSCOPED_INFO(problem.message);
  REQUIRE(parsed.problems.empty());
  return parsed.scene;
}

// Of the fit that walls on the grid have: the fraction of `top` up to which they hold.
double fraction_of_walls(const Scene& scene, const GridStencil& stencil, const FrequencyMap& map,
                         const WallLimits::Top& top, double within) {
  const MaterialFit material = fit_materials(scene, top.frequency).front();
  const double step = top.omega / (2.0 * std::numbers::pi * top.frequency);
  WallLaw law;
  law.taps = make_wall_taps(stencil, 0, top.omega, {scene.simulation.wall_error, room_for_taps(top.cells)}).taps;
  std::vector<WallWave> waves = wall_waves(stencil, 0, map, top.omega);
  load_waves(waves, stencil, 0, law.taps);
  const GridFit fit = fit_on_grid(material.branches, step, waves);
  law.inertance = fit.inertance;
  law.branches = fit.branches;
  return valid_frequency(waves, absorption_ratios(law, material.branches, step, waves), within) / top.omega;
}

}  // namespace

TEST_CASE("the limit of walls before there is a grid is that of the fits that they have there") {
  const std::vector<std::string> materials = {"library = \"plasterboard\"", "library = \"carpet-heavy\"",
                                              "library = \"concrete-rough\"", "admittance = 0.5"};
  const std::array<int, 3> cells = {40, 40, 40};
  int hold = 0, fail = 0;
  for (const char* name : {"leggy-3/warp1", "compact-3/radial03", "box-222/opt1", "compact-11/opt1"}) {
    const Stencil stencil = at_courant(*find_stencil(name), own_courant(*find_stencil(name), false));
    const GridStencil cube = on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant});
    const FrequencyMap map = frequency_map(stencil);
    for (const std::string& material : materials) {
      Scene scene = room_with(material);
      for (const double error : {0.1, 0.02}) {
        CAPTURE(name, material, error);
        scene.simulation.wall_error = error;
        WallLimits limits(scene);
        const WallLimits::Top top{known_rendered_omega(cube, 0.02, map), 800.0, cells};
        const double found = limits.valid_fraction(cube, 0, map, top);
        if (found < 1.0) {
          ++fail;
          CHECK(found == Approx(fraction_of_walls(scene, cube, map, top, 0.95 * error)).epsilon(1e-12));
        } else {
          ++hold;
          CHECK(fraction_of_walls(scene, cube, map, top, error) == Approx(1.0));
        }
      }
    }
  }
  CHECK(hold > 6);
  CHECK(fail > 3);
}

}  // namespace fdtd::test
