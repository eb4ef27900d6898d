#include "engine/profiling/predict.hpp"

#include <memory>

#include "engine/plan/fingerprint.hpp"
#include "scenes/toml/parse.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/meshes/mesh_scene.hpp"
#include "tests/support/meshes/meshes.hpp"
#include "tests/support/program.hpp"
#include "tests/support/scene_text.hpp"

namespace fdtd::test {

TEST_CASE("the time of a mesh is predicted by its own walls, that of a large box by those of a smaller one") {
  const Target cpu;
  Scene box, mesh;
  mesh.room.mesh = std::make_shared<const Mesh>();
  PlanResult small, large, huge, outline;
  small.plan.grid.size = {100, 100, 100};
  large.plan.grid.size = {300, 300, 100};
  huge.plan.grid.size = {1000, 1000, 300};
  outline.plan.grid.size = large.plan.grid.size;
  outline.outline = true;
  REQUIRE(small.plan.grid.nodes() < probe_nodes(cpu));
  REQUIRE(large.plan.grid.nodes() > probe_nodes(cpu));
  CHECK(probed_itself(box, small, cpu));
  CHECK_FALSE(probed_itself(box, large, cpu));
  CHECK(probed_itself(mesh, large, cpu));
  CHECK_FALSE(probed_itself(mesh, huge, cpu));
  CHECK_FALSE(probed_itself(mesh, outline, cpu));
}

// A plan that is only reported has no walls; a second room on the grid would take as long as the first.
TEST_CASE("the time of a mesh that is only planned is predicted by the walls of its plan, built once") {
  const TemporaryFolder folder;
  const Turn turn = turned(30.0, 0.0);
  SceneText text =
      mesh_scene(folder, box_mesh({0, 0, 0}, {5.0, 4.0, 3.0}, turn), turn, {0.6, 0.5, 0.4}, {2.8, 2.6, 1.2});
  text.simulation = "duration = 0.1\ngrid_spacing = 0.25\n";
  text.materials = "[materials.panel]\nadmittance = 0.05\n";
  const ParsedScene parsed = parse_scene(text_of(text), folder.path() / "room.toml");
  REQUIRE(parsed.problems.empty());
  const Scene& scene = parsed.scene;
  Target of_none;
  of_none.rank = -1;
  for (const char* stencil : {"leggy-2/warp1", "compact-4/radial1"}) {
    PlanResult planned = make_plan(scene, *find_stencil(stencil), of_none);
    const std::string whole = fingerprint_of(make_plan(scene, *find_stencil(stencil)).plan).hash;
    REQUIRE(planned.outline);
    REQUIRE(planned.walls_on_grid.has_value());
    CHECK(fingerprint_of(planned.plan).hash != whole);
    Plan filled = planned.plan;
    filled.near_wall = planned.walls_on_grid->near_wall;
    filled.boundary = planned.walls_on_grid->boundary;
    CHECK(fingerprint_of(filled).hash == whole);
    CHECK(probed_itself(scene, planned, of_none));
    CHECK(predict_time(scene, planned, of_none, 1, false, 0.0).steps > 0.0);
    CHECK(planned.plan.boundary.nodes.empty());
    CHECK(planned.walls_on_grid->boundary.nodes.size() == filled.boundary.nodes.size());
  }
}

}  // namespace fdtd::test
