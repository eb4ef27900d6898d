#include "engine/planning/choose/scene_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/plan/record_tail.hpp"
#include "engine/planning/make_plan.hpp"
#include "engine/walls/near_wall_operator.hpp"
#include "scenes/toml/parse.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/meshes/mesh_scene.hpp"
#include "tests/support/meshes/meshes.hpp"
#include "tests/support/program.hpp"
#include "tests/support/scene_text.hpp"

namespace fdtd::test {
namespace {

// `receiver`: more keys of it.
Scene mesh_room(const TemporaryFolder& folder, const Mesh& mesh, const std::string& simulation, const Turn& turn,
                const std::string& receiver = "") {
  SceneText scene = mesh_scene(folder, mesh, turn, {0.6, 0.5, 0.4}, {2.8, 2.6, 1.2});
  scene.simulation = "duration = 0.1\n" + simulation + "\n";
  scene.materials = "[materials.panel]\nadmittance = 0.05\n";
  scene.receiver_keys = receiver;
  const ParsedScene parsed = parse_scene(text_of(scene), folder.path() / "room.toml");
  for (const Problem& problem : parsed.problems) UNSCOPED_INFO(problem.message);
  REQUIRE(parsed.problems.empty());
  return parsed.scene;
}

// A box of 5 x 4 x 3 m as a mesh, turned by 30 degrees.
Scene turned_room(const TemporaryFolder& folder, const std::string& simulation, const std::string& receiver = "") {
  const Turn turn = turned(30.0, 0.0);
  return mesh_room(folder, box_mesh({0, 0, 0}, {5.0, 4.0, 3.0}, turn), simulation, turn, receiver);
}

bool warns(const PlanResult& planned, const std::string& of) {
  return std::ranges::any_of(planned.choice.warnings,
                             [&](const Note& one) { return one.text.find(of) != one.text.npos; });
}

const SpacingNeed& need(const GridChoice& choice, const std::string& what) {
  return *std::ranges::find(choice.needs, what, &SpacingNeed::what);
}

}  // namespace

TEST_CASE("walls that cut voxels set the grid where that is affordable, and the plan states what they cost") {
  const TemporaryFolder folder;
  const Stencil& stencil = *find_stencil("leggy-4/warp1");
  const PlanResult fine = make_plan(turned_room(folder, "max_frequency = 300.0\ngeometry_error = 0.05"), stencil);
  CHECK(fine.valid.frequency == 300.0);
  CHECK(fine.bandwidth() == 300.0);
  CHECK(fine.choice.geometry_holds);
  const double needed = need(fine.choice, "geometry").spacing;
  CHECK(needed < 0.8 * need(fine.choice, "interior").spacing);
  CHECK(fine.choice.grid.mean_spacing() <= needed * (1.0 + 1e-9));
  CHECK(fine.choice.grid.mean_spacing() > 0.85 * needed);
  CHECK(warns(fine, "set the grid spacing: the run takes"));

  const PlanResult coarse = make_plan(turned_room(folder, "max_frequency = 300.0\ngeometry_error = 2.0"), stencil);
  CHECK(static_cast<double>(coarse.choice.grid.nodes()) < 0.6 * static_cast<double>(fine.choice.grid.nodes()));
  CHECK(coarse.valid.frequency == 300.0);
}

TEST_CASE("a limit that would take too fine a grid leaves it, and responses pass nothing above it") {
  const TemporaryFolder folder;
  const PlanResult planned = make_plan(turned_room(folder, "max_frequency = 300.0\ndispersion_error = 0.03"),
                                       *find_stencil("compact-9/radial1"));
  CHECK_FALSE(planned.choice.geometry_holds);
  CHECK_FALSE(need(planned.choice, "geometry").obeyed);
  CHECK(planned.valid.limited_by == "geometry");
  CHECK(planned.valid.frequency < 200.0);
  CHECK(planned.bandwidth() == planned.valid.frequency);
  CHECK(warns(planned, "do not set the grid spacing"));
  CHECK(warns(planned, "responses pass nothing above"));
  // The lower low-pass rings longer.
  const double recorded = 0.1 + render_tail(planned.bandwidth(), planned.choice.branch_frequency);
  CHECK(static_cast<double>(planned.plan.steps) * planned.choice.grid.time_step >= recorded);
  CHECK(planned.plan.stop.high < 200.0);
}

TEST_CASE("furniture along the grid sets the grid, and leaves whole voxels a lower limit") {
  const TemporaryFolder folder;
  const auto room = [&](int plates) {
    Mesh mesh = box_mesh({0, 0, 0}, {3.13, 2.71, 2.29});
    for (int i = 0; i < plates; ++i) {
      const double z = 0.61 + 0.31 * i;
      add_box(mesh, {0.41, 0.53, z}, {1.93, 1.47, z + 0.02},
              {"default", "default", "default", "default", "default", "default"}, unturned);
    }
    return mesh_room(folder, mesh, "max_frequency = 500.0", [](const Place& at) { return at; });
  };
  const Stencil &cut = *find_stencil("leggy-4/warp1"), &whole = *find_stencil("compact-9/radial1");
  const PlanResult bare = make_plan(room(0), cut), furnished = make_plan(room(4), cut);
  CHECK(bare.valid.limited_by != "geometry");
  const PlanResult shell = make_plan(room(0), whole);  // a grid a little larger than the room is no furniture
  const Scene empty = room(0);
  CHECK(SceneLimits(empty).furnished_fraction(shell.choice.grid_stencil, 0.2) < 0.002);
  CHECK(furnished.valid.limited_by != "geometry");
  CHECK(furnished.choice.grid.mean_spacing() < 0.65 * bare.choice.grid.mean_spacing());
  bool named = false;  // by a plan with a low limit, or where no octave is left, by the error
  try {
    const PlanResult staircase = make_plan(room(4), whole);
    CHECK(staircase.valid.limited_by == "geometry");
    CHECK(staircase.valid.frequency < 250.0);
    named = warns(staircase, "belongs to furniture");
  } catch (const Error& error) {
    named = std::string(error.what()).find("belongs to furniture") != std::string::npos;
  }
  CHECK(named);
}

TEST_CASE("auto leaves whole voxels beside oblique walls out, uncounted, where a count does") {
  const TemporaryFolder folder;
  int left_out = 0, held = 0;
  for (const double error : {0.05, 0.1, 0.2, 0.4}) {
    const std::string keys = fmt::format("max_frequency = 400.0\ngeometry_error = {}\n", error);
    const Scene automatic = turned_room(folder, keys + "stencil = \"auto\""),
                named = turned_room(folder, keys + "stencil = \"leggy-4\"");
    SceneLimits limits(automatic), counted(named);
    for (const char* name : {"compact-9/opt1", "box-333/opt1"}) {
      const Stencil* const stencil = find_stencil(name);
      const double lambda = stencil->courant;
      const GridStencil grid = on_grid(*stencil, {lambda, lambda, lambda});
      REQUIRE(!knows_cut_voxels(grid));
      for (const double points : {2.5, 4.0, 8.0}) {
        const double spacing = automatic.air.speed() / 400.0 / points;
        const double sooner = limits.geometry_spacing(*stencil, grid, 400.0, spacing);
        const double exact = counted.geometry_spacing(*stencil, grid, 400.0, spacing);
        CAPTURE(error, name, points, sooner / spacing, exact / spacing);
        CHECK((sooner < finest_fraction * spacing) == (exact < finest_fraction * spacing));
        if (sooner >= finest_fraction * spacing) CHECK(sooner == exact);
        ++(sooner < finest_fraction * spacing ? left_out : held);
      }
    }
  }
  CHECK(left_out >= 4);
  CHECK(held >= 4);
}

TEST_CASE("with a spacing given, responses pass what all limits hold") {
  const TemporaryFolder folder;
  const PlanResult planned = make_plan(turned_room(folder, "grid_spacing = 0.25"), *find_stencil("leggy-4/warp1"));
  CHECK(planned.valid.limited_by == "geometry");
  CHECK(planned.bandwidth() == planned.valid.frequency);
  CHECK(planned.bandwidth() < 0.9 * planned.choice.max_frequency);
  CHECK(warns(planned, "responses pass nothing above"));
  CHECK(planned.choice.needs.empty());
}

TEST_CASE("what is affordable counts the passes of a run, not its sources") {
  // 1.1e9 node updates a pass and second, at 0.05 m.
  const auto affordable = [](const std::string& reciprocity, double seconds, int sources, const std::string& pattern) {
    std::string text = fmt::format(
        "schema = 1\n[simulation]\nduration = {}\nmax_frequency = 500.0\nstencil = \"leggy-4\"\n"
        "reciprocity = \"{}\"\n[room]\nbox = [2.1, 1.7, 1.35]\n[room.walls]\ndefault = \"rigid\"\n",
        seconds, reciprocity);
    for (int s = 0; s < sources; ++s)
      text += fmt::format("[[source]]\nname = \"S{}\"\nposition = [{}, 0.8, 0.6]\n{}", s, 0.4 + 0.05 * s, pattern);
    for (int r = 0; r < 2; ++r)
      text += fmt::format("[[receiver]]\nname = \"R{}\"\nposition = [{}, 1.2, 0.7]\n", r, 1.5 + 0.1 * r);
    const ParsedScene parsed = parse_scene(text, "room.toml");
    for (const Problem& problem : parsed.problems) UNSCOPED_INFO(problem.message);
    REQUIRE(parsed.problems.empty());
    return SceneLimits(parsed.scene).affordable(passes_of(parsed.scene), 0.5, 0.05, 0.2);
  };
  CHECK(affordable("auto", 1.0, 20, ""));  // two passes: the receivers send
  CHECK_FALSE(affordable("off", 1.0, 20, ""));
  const std::string cardioid = "pattern = \"cardioid\"\ndirection = [1, 0, 0]\n";  // two channels in one pass
  CHECK(affordable("off", 3.0, 1, ""));
  CHECK(affordable("off", 6.0, 1, cardioid));
  CHECK_FALSE(affordable("off", 6.0, 2, cardioid));
}

TEST_CASE("sources and receivers that need more points than the interior set the grid") {
  SceneText text;
  text.simulation = "duration = 0.02\nmax_frequency = 1000.0\n";
  text.box = "[2.1, 1.7, 1.35]";
  text.materials = "[materials.panel]\nrigid = true\n";
  text.receiver_keys = "pattern = \"ambisonic\"\norder = 3";
  const ParsedScene parsed = parse_scene(text_of(text), "room.toml");
  REQUIRE(parsed.problems.empty());
  const Stencil& stencil = *find_stencil("leggy-8/warp1");
  const PlanResult planned = make_plan(parsed.scene, stencil);
  CHECK(need(planned.choice, "transducers").spacing < need(planned.choice, "interior").spacing);
  CHECK(planned.valid.frequency == 1000.0);
  CHECK(planned.choice.grid.nodes() > choose_grid(parsed.scene, stencil, nullptr).grid.nodes());
}

}  // namespace fdtd::test
