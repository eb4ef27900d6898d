// A room with oblique walls, whose voxels they cut, for tests of gradients.
#pragma once

#include <stdexcept>
#include <string>

#include "engine/planning/make_plan.hpp"
#include "scenes/toml/parse.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/meshes/mesh_scene.hpp"
#include "tests/unit/engine/adjoint/gradient_rooms.hpp"

namespace fdtd::test {

// A box of 1.3 x 1.1 x 0.9 m as a mesh, none of whose walls lies along the grid, as the planner voxelises it.
inline Plan oblique_plan(Precision precision = Precision::f64) {
  const TemporaryFolder folder;
  const Turn turn = turned(30.0, 20.0);
  SceneText scene =
      mesh_scene(folder, box_mesh({0.0, 0.0, 0.0}, {1.3, 1.1, 0.9}, turn), turn, {0.3, 0.4, 0.3}, {0.9, 0.6, 0.5});
  scene.simulation =
      "duration = 0.03\nmax_frequency = 400.0\nprecision = \"" + std::string(to_string(precision)) + "\"\n";
  scene.materials = "[materials.panel]\nbranches = [ { D = 1.0e-3, E = 3.0, F = 900.0 }, { E = 15.0 } ]\n";
  const ParsedScene parsed = parse_scene(text_of(scene), folder.path() / "room.toml");
  if (!parsed.problems.empty()) throw std::runtime_error(parsed.problems.front().message);
  Plan plan = make_plan(parsed.scene, *find_stencil("leggy-4")).plan;
  add_transducers(plan, 120);
  return plan;
}

}  // namespace fdtd::test
