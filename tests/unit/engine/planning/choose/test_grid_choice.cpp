#include "engine/planning/choose/grid_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>

#include "engine/plan/record_tail.hpp"
#include "engine/planning/choose/scene_limits.hpp"
#include "engine/planning/judge/valid_band.hpp"
#include "engine/planning/make_plan.hpp"
#include "scenes/toml/parse.hpp"
#include "stencils/catalogue.hpp"
#include "stencils/dispersion.hpp"
#include "stencils/radial.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/meshes/meshes.hpp"
#include "tests/support/scene_text.hpp"

namespace fdtd::test {
namespace {

using Catch::Matchers::Contains;

const std::string plaster =
    "[materials.panel]\nabsorption = { bands = [125, 250, 500, 1000], alpha = [0.06, 0.10, 0.16, 0.24] }\n";

Scene room(const std::string& simulation, const std::string& materials = plaster,
           const std::string& box = "[2.1, 1.7, 1.35]") {
  SceneText text;
  text.simulation = "duration = 0.05\n" + simulation + "\n";
  text.box = box;
  text.materials = materials;
  const ParsedScene parsed = parse_scene(text_of(text), "room.toml");
  REQUIRE(parsed.problems.empty());
  return parsed.scene;
}

double coarsest(const Grid& grid) { return *std::ranges::max_element(grid.spacing); }

}  // namespace

TEST_CASE("where max_frequency is given, walls that need more points than the interior set the grid") {
  for (const char* name : {"compact-9/radial1", "box-222/radial1"}) {
    CAPTURE(name);
    const Stencil& stencil = *find_stencil(name);
    const Scene scene = room("max_frequency = 1414.0\nwall_error = 0.04", plaster, "[8.23, 6.71, 5.47]");
    const PlanResult planned = make_plan(scene, stencil);
    const GridChoice interior = choose_grid(scene, stencil, nullptr);
    CHECK(coarsest(planned.choice.grid) < 0.99 * coarsest(interior.grid));
    CHECK(coarsest(planned.choice.grid) > 0.45 * coarsest(interior.grid));
    CHECK(planned.choice.walls_hold);
    REQUIRE(planned.walls.size() == 1);
    CHECK(planned.walls[0].valid_bandwidth == 1414.0);
    const ValidBand without_transducers = valid_band(planned.choice, planned.walls, true);
    CHECK(without_transducers.frequency == 1414.0);
    CHECK(without_transducers.limited_by == "max_frequency");
    CHECK(planned.valid.limits.size() == 3);
    WallLimits walls(scene);
    CHECK(wall_fraction(interior, walls) < 1.0);
  }
}

TEST_CASE("a cubic grid keeps the proportions of a box where that costs less than the error of its sides counts") {
  const auto grid_of = [](const char* name, const char* error) {
    const Scene scene =
        room(std::string("max_frequency = 1414.0\ndispersion_error = ") + error, plaster, "[4.1, 3.3, 2.7]");
    return choose_grid(scene, *find_stencil(name), nullptr);
  };
  for (const char* name : {"compact-9/radial03", "box-222/radial03"})
    for (const char* error : {"0.02", "0.003"}) {
      CAPTURE(name, error);
      const GridChoice choice = grid_of(name, error);
      CHECK(choice.grid.size == std::array{41, 33, 27});  // 3 to 7 % finer than the interior needs
      const double scale = choice.grid.spacing[0] / 0.1;  // of all sides alike
      CHECK(scale == Approx(1.0).margin(5e-4));
      CHECK(choice.wall_shift[2] == Approx(1.65 * (scale - 1.0)).margin(1e-9));
    }
  // Whatever the error of the sides, no grid is finer by more than a tenth, nor coarser than the interior allows.
  for (const char* error : {"0.0001", "0.3"}) {
    const GridChoice choice = grid_of("box-222/opt1", error);
    const double needed = choice.needs.front().spacing;
    CHECK(choice.grid.spacing[0] <= needed * (1.0 + 1e-12));
    CHECK(choice.grid.spacing[0] > 0.89 * needed);
  }
}

// At the spacing that walls need they hold; on the grid of 1 % less that fits the box they held to 1972 Hz.
TEST_CASE("a wall law that fails at low frequencies on some grids alone has the next grid that holds") {
  // Needle felt: its law failed at 1 Hz on grids of 0.17 to 0.21 m, and plans up to these frequencies were refused.
  const std::string felt =
      "[materials.panel]\nabsorption = { bands = [125, 250, 500, 1000, 2000, 4000, 8000], "
      "alpha = [0.02, 0.02, 0.05, 0.15, 0.3, 0.4, 0.4] }\n";
  for (const char* name : {"box-111/radial1", "box-222/radial1"})
    for (const double frequency : {700.0, 710.0, 800.0}) {
      CAPTURE(name, frequency);
      const Scene scene = room(fmt::format("max_frequency = {}", frequency), felt, "[4.1, 3.3, 2.6]");
      const PlanResult planned = make_plan(scene, *find_stencil(name));
      CHECK(planned.choice.walls_hold);
      CHECK(planned.valid.frequency >= frequency * (1.0 - 1e-9));
    }
}

TEST_CASE("walls hold on the grid that fits the box, too") {
  const Stencil& stencil = *find_stencil("box-222/radial03");
  const Scene scene = room("max_frequency = 2000.0\ndispersion_error = 0.01",
                           "[materials.panel]\nadmittance = 0.0257\n", "[14.0, 10.0, 7.2]");
  SceneLimits limits(scene);
  const GridChoice choice = choose_grid(scene, stencil, &limits);
  CHECK(choice.walls_hold);
  CHECK(wall_fraction(choice, limits.walls) >= 1.0);
  CHECK(coarsest(choice.grid) > 0.9 * coarsest(choose_grid(scene, stencil, nullptr).grid));
}

TEST_CASE("the watch that stops a run sees the frequencies of the grid where a radial map is undone") {
  const Scene scene = room("max_frequency = 1414.0", plaster, "[4.2, 3.4, 2.7]");
  const PlanResult radial = make_plan(scene, *find_stencil("compact-9/radial1"));
  const double turn = 2.0 * std::numbers::pi * radial.choice.grid.time_step;
  const double edge = radial.choice.frequency_map.grid(radial.bandwidth() * turn) / turn;
  CHECK(radial.plan.stop.high == Approx(edge));
  CHECK(std::abs(edge / radial.bandwidth() - 1.0) > 0.1);
  const PlanResult other = make_plan(scene, *find_stencil("leggy-4/warp1"));
  CHECK(other.plan.stop.high == other.bandwidth());
}

TEST_CASE(
    "walls of a mesh pass near the centres of voxels where the spacing does not divide a side, else on their faces") {
  Scene scene;
  scene.simulation.grid_spacing = 0.1;
  scene.room.box = {2.13, 1.7, 1.35};
  scene.room.mesh = std::make_shared<const Mesh>(box_mesh({0, 0, 0}, scene.room.box));
  const GridChoice cut = choose_grid(scene, *find_stencil("compact-3/opt1"), nullptr);
  CHECK(cut.grid.size == std::array<int, 3>{22, 17, 15});
  CHECK(cut.offset[0] == Approx(0.035));  // of 0.05 at the centre of a voxel
  CHECK(cut.offset[1] == Approx(0.0).margin(1e-12));
  CHECK(cut.wall_shift == std::array<double, 6>{});
  const Stencil& radial = *find_stencil("compact-3/radial1");
  CHECK(choose_grid(scene, radial, nullptr).grid.size == cut.grid.size);
  // Above the Courant number of its certificate its voxels are whole.
  scene.simulation.courant = certified_courant(radial);
  CHECK(choose_grid(scene, radial, nullptr).grid.size == cut.grid.size);
  scene.simulation.courant = 1.001 * certified_courant(radial);
  CHECK(choose_grid(scene, radial, nullptr).grid.size == std::array<int, 3>{21, 17, 14});
}

TEST_CASE(
    "leggy stencils run at 0.98 of their limit in meshes with oblique walls, all others at 0.999, radial sets in any "
    "mesh at 0.999 of their certificate's") {
  const auto time_step = [](const char* stencil, const Turn* turn) {
    Scene scene = room("grid_spacing = 0.1");
    if (turn != nullptr) scene.room.mesh = std::make_shared<const Mesh>(box_mesh({0, 0, 0}, {2.1, 1.7, 1.35}, *turn));
    return choose_grid(scene, *find_stencil(stencil), nullptr).grid.time_step;
  };
  const Turn straight = unturned, oblique = turned(30.0, 0.0);
  CHECK(time_step("leggy-4", &oblique) == Approx(0.98 / 0.999 * time_step("leggy-4", nullptr)));
  CHECK(time_step("leggy-4", &straight) == Approx(time_step("leggy-4", nullptr)));
  CHECK(time_step("box-222", &oblique) == Approx(time_step("box-222", nullptr)));
  const Stencil& radial = *find_stencil("compact-4/radial1");
  for (const Turn* turn : {&oblique, &straight})
    CHECK(time_step("compact-4/radial1", turn) / time_step("compact-4/radial1", nullptr) ==
          Approx(certified_courant(radial) / radial.courant));
}

TEST_CASE("walls that absorb nothing, and a wall_error that the interior's grid keeps, leave the grid as it was") {
  const Stencil& stencil = *find_stencil("compact-9");
  for (const Scene& scene : {room("max_frequency = 1414.0", "[materials.panel]\nrigid = true\n"),
                             room("max_frequency = 1414.0\nwall_error = 2")}) {
    const PlanResult planned = make_plan(scene, stencil);
    CHECK(planned.choice.grid.size == choose_grid(scene, stencil, nullptr).grid.size);
    CHECK(planned.choice.walls_hold);
  }
}

TEST_CASE("with grid_spacing the spacing stays, and max_frequency is what interior and walls hold") {
  const Scene scene = room("grid_spacing = 0.1\nwall_error = 0.03");
  for (const char* name : {"leggy-4/warp1", "compact-9", "leggy-1"}) {
    CAPTURE(name);
    const PlanResult planned = make_plan(scene, *find_stencil(name));
    const GridChoice& choice = planned.choice;
    CHECK(choice.grid.size == choose_grid(scene, *find_stencil(name), nullptr).grid.size);
    const ValidBand without_transducers = valid_band(choice, planned.walls, false);
    CHECK(without_transducers.frequency == choice.max_frequency);
    CHECK(planned.walls.at(0).valid_bandwidth == choice.max_frequency);
    CHECK_FALSE(without_transducers.limits.at(0).beyond);
    CHECK(without_transducers.limits.at(1).what == "walls");
    CHECK(without_transducers.limits.at(1).beyond == (std::string(name) == "leggy-1"));
    if (std::string(name) == "leggy-1") {
      CHECK(choice.max_frequency == choice.interior_bandwidth);
      CHECK(without_transducers.limited_by == "interior");
    } else {
      CHECK(choice.max_frequency < 0.99 * choice.interior_bandwidth);
      CHECK(without_transducers.limited_by == "walls");
    }
  }
}

TEST_CASE("a wall_error that walls keep on no affordable grid is stated, and the interior sets the grid") {
  const Scene scene = room("max_frequency = 1414.0\nwall_error = 0.001");
  const Stencil& stencil = *find_stencil("leggy-4/warp1");
  const GridChoice choice = choose_grid(scene, stencil);
  CHECK_FALSE(choice.walls_hold);
  CHECK(choice.grid.size == choose_grid(scene, stencil, nullptr).grid.size);
  CHECK(std::ranges::any_of(choice.warnings,
                            [](const Note& note) { return note.text.find("wall_error") != note.text.npos; }));
  // Here walls keep it nowhere.
  try {
    (void)make_plan(scene, stencil);
    FAIL("a plan without a band");
  } catch (const EmptyBand& error) {
    CHECK(std::string(error.what()).find("(panel)") != std::string::npos);
    CHECK(error.remedy.find("wall_error") != std::string::npos);
  }
}

TEST_CASE(
    "the map of frequencies is the stencil's own unless the scene says otherwise, and slow waves lengthen the record") {
  using Kind = FrequencyMap::Kind;
  const Stencil &radial = *find_stencil("compact-4/radial1"), &plain = *find_stencil("leggy-4");
  const auto choice = [](const std::string& more, const Stencil& stencil) {
    return choose_grid(room("grid_spacing = 0.1" + more), stencil, nullptr);
  };
  CHECK(choice("", radial).frequency_map.kind() == Kind::radial);
  CHECK(choice("\nremove_time_dispersion = true", radial).frequency_map.kind() == Kind::radial);
  CHECK(choice("\nremove_time_dispersion = false", radial).frequency_map.kind() == Kind::none);
  CHECK(choice("", plain).frequency_map.kind() == Kind::none);
  CHECK(choice("\nremove_time_dispersion = true", plain).frequency_map.kind() == Kind::time);
  const GridChoice slow = choose_grid(room("max_frequency = 1000.0\ndispersion_error = 0.01"), radial, nullptr);
  const double group =
      slowest_group(slow.grid_stencil, 2.0 * 3.141592653589793 * 1000.0 * slow.grid.time_step, slow.frequency_map);
  CHECK(group < 0.77);
  const double recorded = 0.05 + render_tail(slow.max_frequency, slow.branch_frequency);
  CHECK(static_cast<double>(slow.steps) * slow.grid.time_step * group > 0.999 * recorded);
}

TEST_CASE("a Courant number at the limit keeps a margin in single precision") {
  const Stencil& stencil = *find_stencil("leggy-1");
  const auto courant_of = [&](const std::string& courant, const std::string& precision) {
    const Scene scene = room("grid_spacing = 0.1\ncourant = " + courant + "\nprecision = \"" + precision + "\"");
    return choose_grid(scene, stencil, nullptr).grid.courant();
  };
  CHECK(courant_of("0.001", "f64") == Approx(0.001));
  CHECK(courant_of("0.02", "f32") == Approx(0.02));
  const std::string limit = fmt::format("{:.17g}", stencil.courant_limit);
  CHECK(courant_of(limit, "f64") == Approx(stencil.courant_limit).epsilon(1e-12));
  const double fraction = courant_of(limit, "f32") / stencil.courant_limit;
  CHECK(fraction < 1.0 - 7e-6);
  CHECK(fraction > 1.0 - 8e-6);
}

}  // namespace fdtd::test
