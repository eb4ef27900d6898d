#include "engine/profiling/auto_stencil.hpp"

#include <memory>
#include <regex>
#include <string>

#include "engine/planning/choose/grid_choice.hpp"
#include "engine/planning/costs/cost_table.hpp"
#include "engine/planning/costs/wall_work.hpp"
#include "engine/profiling/profile.hpp"
#include "engine/profiling/stencil_cost.hpp"
#include "engine/walls/near_wall_operator.hpp"
#include "scenes/toml/parse.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/meshes/meshes.hpp"
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

Scene as_mesh(Scene scene, const Mesh& mesh) {
  scene.room.mesh = std::make_shared<const Mesh>(mesh);
  scene.room.surfaces.assign(mesh.materials.size(), "panel");
  for (std::size_t d = 0; d < 3; ++d) {
    scene.room.origin[d] = mesh.low[d];
    scene.room.box[d] = mesh.high[d] - mesh.low[d];
  }
  return scene;
}

}  // namespace

TEST_CASE("auto takes what the table says: the same stencil whatever machine the program runs on") {
  for (const DeviceClass device : {DeviceClass::cpu_avx512, DeviceClass::cpu_avx2, DeviceClass::cpu_baseline,
                                   DeviceClass::gpu_before_9_0, DeviceClass::gpu_9_0}) {
    const AutoStencil first = cheapest_stencil(room(), device);
    CHECK(cheapest_stencil(room(), device).stencil.name == first.stencil.name);
    REQUIRE(first.remarks.size() == 1);
    CHECK_THAT(first.remarks[0], Contains(first.stencil.name + " (walls ") &&
                                     Contains(" % of a step) by the cost table") && Contains(to_string(device)) &&
                                     Contains("times as long"));
  }
  // A point costs next to nothing on a GPU, and its full price without vector instructions; where the grid is so fine
  // that walls do not count.
  Scene fine = room();
  fine.simulation.max_frequency = 16000.0;
  CHECK(cheapest_stencil(fine, DeviceClass::gpu_9_0).stencil.point_count() >
        cheapest_stencil(fine, DeviceClass::cpu_baseline).stencil.point_count());
}

// Box and compact stencils would be cheaper, but no grid of one spacing has its walls within dispersion_error of theirs.
TEST_CASE("auto takes a stencil whose grid has the walls of a small box within dispersion_error of a side") {
  int displaced = 0;  // rooms that the stencil of the lowest cost per cubic metre does not meet
  for (const char* precision : {"f32", "f64"})
    for (const auto& box : {Point{5.3, 4.1, 2.7}, Point{2.9, 2.3, 2.5}, Point{3.7, 6.1, 3.3}, Point{1.9, 1.2, 2.4}})
      for (const double frequency : {150.0, 180.0, 240.0}) {
        Scene scene = room(precision);
        scene.room.box = box;
        scene.simulation.max_frequency = frequency;
        const AutoStencil best = cheapest_stencil(scene, DeviceClass::cpu_avx512);
        CAPTURE(precision, box[0], frequency, best.stencil.name);
        CHECK(walls_met(scene, choose_grid(scene, best.stencil)));
        displaced += walls_met(scene, choose_grid(scene, *find_stencil("box-111/radial03"))) ? 0 : 1;
      }
  CHECK(displaced > 0);
}

TEST_CASE("auto names no stencil as faster than the one that it takes") {
  SceneText text;
  text.simulation = "duration = 0.1\nmax_frequency = 500.0\n";
  text.box = "[3.0, 2.4, 2.2]";
  text.materials = "[materials.panel]\nadmittance = 0.06\n";
  const AutoStencil best = cheapest_stencil(parse_scene(text_of(text), "room.toml").scene, DeviceClass::cpu_avx2);
  CHECK(best.stencil.family == Family::leggy);
  const std::string& remark = best.remarks.at(0);
  const std::string others = remark.substr(0, remark.find("; if walls took no time"));
  CAPTURE(remark);
  static const std::regex ratio(R"(([0-9.]+) times)");
  int count = 0;
  for (std::sregex_iterator one(others.begin(), others.end(), ratio), end; one != end; ++one, ++count)
    CHECK(std::stod((*one)[1]) >= 1.0);
  CHECK(count >= 1);
}

TEST_CASE("what \"auto\" measures on request decides, whatever the table says, and is stated") {
  const std::string tabled = member_name(cheapest_stencil(room(), DeviceClass::cpu_avx512).stencil);
  const AutoStencil measured = cheapest_stencil(
      room(), DeviceClass::cpu_avx512,
      [&](const Stencil& stencil, Precision) { return member_name(stencil) == tabled ? 1.0 : 0.0125; });
  CHECK(member_name(measured.stencil) != tabled);
  REQUIRE(measured.remarks.size() == 1);
  CHECK_THAT(measured.remarks[0],
             Contains("measured here") && Contains("(0.0125 ns a node, walls ") && Contains(tabled));
}

TEST_CASE("auto compares stencils on the grids that their walls need") {
  const Scene scene = room();
  Scene rigid = scene;
  rigid.materials.at("panel") = {"panel", Material::Kind::rigid, 0.0, {}, {}, {}, {}, {}, {}, {}};
  // By the cost table alone, without walls, the shortest waves win; stencils that read walls badly then lose their lead.
  const Stencil taken = cheapest_stencil(scene, DeviceClass::cpu_avx512).stencil;
  const GridChoice choice = choose_grid(scene, taken);
  CHECK(choice.walls_hold);
  const Stencil for_interior = cheapest_stencil(rigid, DeviceClass::cpu_avx512).stencil;
  const auto cost = [&](const Stencil& stencil, const GridChoice& grid) {
    return cost_per_node(stencil, Precision::f32, DeviceClass::cpu_avx512) * static_cast<double>(grid.grid.nodes()) *
           static_cast<double>(grid.steps) *
           WallWork(scene).over_interior(stencil, DeviceClass::cpu_avx512, grid.grid, 0.0);
  };
  CHECK(cost(taken, choice) <= cost(for_interior, choose_grid(scene, for_interior)) * (1.0 + 1e-9));
}

TEST_CASE("auto leaves out stencils whose voxels are whole where much of a mesh's wall is oblique, and says so") {
  Scene scene = room();
  scene.materials.at("panel") = {"panel", Material::Kind::rigid, 0.0, {}, {}, {}, {}, {}, {}, {}};
  const Place side = {5.0, 4.0, 3.0};
  const AutoStencil straight = cheapest_stencil(as_mesh(scene, box_mesh({0, 0, 0}, side)), DeviceClass::gpu_9_0);
  CHECK(straight.remarks.front().find("left out") == std::string::npos);
  const AutoStencil oblique =
      cheapest_stencil(as_mesh(scene, box_mesh({0, 0, 0}, side, turned(30.0, 0.0))), DeviceClass::gpu_9_0);
  const double lambda = oblique.stencil.courant;
  CHECK(knows_cut_voxels(on_grid(oblique.stencil, {lambda, lambda, lambda})));
  REQUIRE(oblique.remarks.size() == 2);
  CHECK_THAT(oblique.remarks[1], Contains("left out ") && Contains("walls of this mesh that cut voxels"));
}

TEST_CASE("walls decide: a turned mesh gets another stencil than the box, with which its walls take more of a step") {
  const Mesh mesh = box_mesh({0, 0, 0}, {5.0, 4.0, 3.0}, turned(30.0, 0.0));
  for (const DeviceClass device : {DeviceClass::cpu_avx512, DeviceClass::cpu_avx2, DeviceClass::cpu_baseline,
                                   DeviceClass::gpu_before_9_0, DeviceClass::gpu_9_0}) {
    const AutoStencil straight = cheapest_stencil(room(), device),
                      oblique = cheapest_stencil(as_mesh(room(), mesh), device);
    INFO(to_string(device) << ": " << straight.remarks.front() << "; " << oblique.remarks.front());
    CHECK(straight.stencil.name != oblique.stencil.name);
    const double as_box = WallWork(room()).over_interior(oblique.stencil, device, 0.1, 0.0);
    CHECK(WallWork(as_mesh(room(), mesh)).over_interior(oblique.stencil, device, 0.1, 1.0) > as_box);
  }
}

TEST_CASE("auto refuses an error that no stencil keeps") {
  Scene scene = room();
  scene.simulation.dispersion_error = 1e-12;
  CHECK_THROWS_WITH(cheapest_stencil(scene, DeviceClass::cpu_avx2), Contains("no stencil reaches"));
}

TEST_CASE("auto states why no stencil has a grid") {
  Scene scene = room();
  scene.simulation.courant = 1.9;
  CHECK_THROWS_WITH(cheapest_stencil(scene, DeviceClass::cpu_avx2),
                    Contains("stencils has a grid in this room") && Contains("1.9 is above the Courant limit"));
}

}  // namespace fdtd::test
