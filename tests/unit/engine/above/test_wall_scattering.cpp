#include "engine/above/wall_scattering.hpp"

#include <memory>

#include "tests/support/catch.hpp"
#include "tests/support/meshes/meshes.hpp"

using namespace fdtd;

namespace {

Material absorbing(double scattering) {
  Material material;
  material.kind = Material::Kind::absorption;
  material.bands = {125.0, 250.0, 500.0, 1000.0, 2000.0, 4000.0};
  material.alpha.assign(6, 0.3);
  if (scattering > 0.0) material.scattering = {scattering};
  return material;
}

}  // namespace

TEST_CASE("the share that walls scatter is that of their free edges and of the relief of their material", "[above]") {
  Scene scene;
  auto mesh = std::make_shared<Mesh>();
  test::add_box(*mesh, {}, {5.0, 4.0, 3.0}, {"wall", "wall", "wall", "wall", "floor", "wall"}, test::unturned);
  test::add_quad(*mesh, {{{1, 1, 0.8}, {2.4, 1, 0.8}, {2.4, 1.8, 0.8}, {1, 1.8, 0.8}}}, "table", test::unturned);
  scene.room.mesh = mesh;
  scene.room.surfaces = {"wall", "floor", "table"};
  scene.materials = {{"wall", absorbing(0.0)}, {"floor", absorbing(0.2)}, {"table", absorbing(0.1)}};
  AbovePlan plan;
  plan.octaves = {500.0, 1000.0, 2000.0};
  plan.sound_speed = 343.2;
  const std::vector<WallScattering> walls = wall_scattering(scene, plan, GeometricRoom(scene, plan));
  REQUIRE(walls.size() == 3);
  for (const WallScattering& wall : walls) {
    REQUIRE(wall.scattered.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
      const double strip = 343.2 / plan.octaves[i] * 4.4 / 1.12;  // of the table's edges, before its bound
      const double due = wall.material == "wall"    ? 0.0
                         : wall.material == "floor" ? 0.2
                                                    : 1.0 - 0.9 * (1.0 - std::min(0.9, strip));
      CHECK(wall.scattered[i] == Approx(due).margin(1e-9));
    }
    CHECK(wall.free_edges == Approx(wall.material == "table" ? 4.4 : 0.0).margin(1e-9));
    CHECK(wall.area == Approx(wall.material == "table" ? 1.12 : wall.material == "floor" ? 20.0 : 74.0));
  }
  CHECK(scattering_text(walls, plan.octaves) ==
        "free edges 4.4 m; scattered at 1000 Hz: table 91 %, floor 20 %, others none");
  CHECK(scattering_text({walls[0]}, plan.octaves) == "free edges 0 m; scattered at 1000 Hz: none");
}
