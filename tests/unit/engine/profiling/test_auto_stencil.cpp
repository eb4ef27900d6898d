#include "engine/profiling/auto_stencil.hpp"

#include <memory>

#include "engine/planning/cost_table.hpp"
#include "engine/planning/grid_choice.hpp"
#include "engine/profiling/profile.hpp"
#include "scenes/parse.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/scene_text.hpp"

namespace fdtd::test {
namespace {

using Catch::Matchers::Contains;

Scene room(const std::string& precision = "f32") {
  SceneText text;
  text.simulation =
      "duration = 0.1\nmax_frequency = 2000.0\ndispersion_error = 0.02\nprecision = \"" + precision + "\"\n";
  text.box = "[5.0, 4.0, 3.0]";
  return parse_scene(text_of(text), "room.toml").scene;
}

}  // namespace

TEST_CASE("\"auto\" takes what the table says: the same stencil whatever machine the program runs on") {
  for (const DeviceClass device : {DeviceClass::cpu_avx512, DeviceClass::cpu_avx2, DeviceClass::cpu_baseline,
                                   DeviceClass::gpu_before_9_0, DeviceClass::gpu_9_0}) {
    const AutoStencil first = cheapest_stencil(room(), device);
    CHECK(cheapest_stencil(room(), device).stencil.name == first.stencil.name);
    REQUIRE(first.remarks.size() == 1);
    CHECK_THAT(first.remarks[0], Contains(first.stencil.name) && Contains("by the cost table of a") &&
                                     Contains(to_string(device)) && Contains("times as long"));
  }
  // A point costs next to nothing on a GPU, and its full price without vector instructions.
  CHECK(cheapest_stencil(room(), DeviceClass::gpu_9_0).stencil.point_count() >
        cheapest_stencil(room(), DeviceClass::cpu_baseline).stencil.point_count());
}

TEST_CASE("what \"auto\" measures on request decides, whatever the table says, and is stated") {
  const std::string tabled = member_name(cheapest_stencil(room(), DeviceClass::cpu_avx512).stencil);
  const AutoStencil measured = cheapest_stencil(
      room(), DeviceClass::cpu_avx512,
      [&](const Stencil& stencil, Precision) { return member_name(stencil) == tabled ? 1.0 : 0.0125; });
  CHECK(member_name(measured.stencil) != tabled);
  REQUIRE(measured.remarks.size() == 1);
  CHECK_THAT(measured.remarks[0], Contains("measured here") && Contains("(0.0125 ns a node)") && Contains(tabled));
}

TEST_CASE("\"auto\" compares stencils on the grids that their walls need") {
  const Scene scene = room();
  Scene rigid = scene;
  rigid.materials.at("panel") = {"panel", Material::Kind::rigid, 0.0, {}, {}, {}, {}, {}, {}, {}};
  // By the cost table alone, without walls, the shortest waves win; those that read walls badly then lose their lead.
  const Stencil taken = cheapest_stencil(scene, DeviceClass::cpu_avx512).stencil;
  const GridChoice choice = choose_grid(scene, taken);
  CHECK(choice.walls_hold);
  const Stencil for_interior = cheapest_stencil(rigid, DeviceClass::cpu_avx512).stencil;
  const auto cost = [&](const Stencil& stencil, const GridChoice& grid) {
    return cost_per_node(stencil, Precision::f32, DeviceClass::cpu_avx512) * static_cast<double>(grid.grid.nodes()) *
           static_cast<double>(grid.steps);
  };
  CHECK(cost(taken, choice) <= cost(for_interior, choose_grid(scene, for_interior)) * (1.0 + 1e-9));
}

TEST_CASE("\"auto\" takes a leggy stencil where much of a mesh's wall is oblique, and states why") {
  Scene scene = room();
  scene.materials.at("panel") = {"panel", Material::Kind::rigid, 0.0, {}, {}, {}, {}, {}, {}, {}};
  scene.room.mesh = std::make_shared<const Mesh>(box_mesh({0, 0, 0}, {5.0, 4.0, 3.0}, turned(30.0, 0.0)));
  const AutoStencil oblique = cheapest_stencil(scene, DeviceClass::gpu_9_0);
  CHECK(oblique.stencil.family == Family::leggy);
  REQUIRE(oblique.remarks.size() == 2);
  CHECK_THAT(oblique.remarks[1], Contains("chose among leggy stencils alone: 57 % of the mesh's area is oblique"));
}

TEST_CASE("\"auto\" refuses an error that no stencil keeps") {
  Scene scene = room();
  scene.simulation.dispersion_error = 1e-12;
  CHECK_THROWS_WITH(cheapest_stencil(scene, DeviceClass::cpu_avx2), Contains("no stencil reaches"));
}

}  // namespace fdtd::test
