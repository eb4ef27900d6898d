#include "engine/planning/costs/wall_work.hpp"

#include <cmath>
#include <memory>

#include "engine/plan/voxels.hpp"
#include "engine/planning/costs/cost_table.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/meshes/meshes.hpp"

namespace fdtd::test {
namespace {

Scene box_scene() {
  Scene scene;
  scene.room.box = {2.0, 1.6, 1.2};
  return scene;
}

Scene mesh_scene(const Mesh& mesh) {
  Scene scene = box_scene();
  scene.room.mesh = std::make_shared<const Mesh>(mesh);
  for (std::size_t d = 0; d < 3; ++d) scene.room.box[d] = mesh.high[d] - mesh.low[d];
  return scene;
}

Grid grid_of(const std::array<int, 3>& size, double h) { return {size, {h, h, h}, 1e-4, 343.0}; }

}  // namespace

TEST_CASE("a box has the faces of its voxels") {
  const Grid grid = grid_of({20, 16, 12}, 0.1);
  const Voxels voxels = voxels_of(AirMask(grid.size), grid.spacing, "wall");
  CHECK(WallWork(box_scene()).faces(grid) == static_cast<double>(voxels.faces.size()));
}

TEST_CASE("a box as a mesh has as many faces as the box, a turned one as many as its area seen along the axes") {
  const std::array<double, 3> side = {2.0, 1.6, 1.2};
  const Grid grid = grid_of({20, 16, 12}, 0.1);
  CHECK(WallWork(mesh_scene(box_mesh({0, 0, 0}, side))).faces(grid) == Approx(WallWork(box_scene()).faces(grid)));
  const WallWork turned_box(mesh_scene(box_mesh({0, 0, 0}, side, turned(45.0, 0.0))));
  CHECK(turned_box.faces(grid) ==
        Approx((2.0 * 2.0 * 1.6 + std::sqrt(2.0) * 2.0 * (2.0 + 1.6) * 1.2) / 0.01).epsilon(1e-6));
}

TEST_CASE("each axis has its own spacing") {
  const Grid grid{{10, 16, 12}, {0.2, 0.1, 0.1}, 1e-4, 343.0};
  CHECK(WallWork(mesh_scene(box_mesh({0, 0, 0}, {2.0, 1.6, 1.2}))).faces(grid) ==
        Approx(2.0 * (16.0 * 12.0 + 10.0 * 12.0 + 10.0 * 16.0)));
}

TEST_CASE("a step takes its interior's time and the faces' figure of the table, half the spacing halves the share") {
  const Stencil& stencil = *find_stencil("compact-3");
  const Scene as_box = box_scene(), as_mesh = mesh_scene(box_mesh({0, 0, 0}, {2.0, 1.6, 1.2}));
  const Grid grid = grid_of({20, 16, 12}, 0.1), fine = grid_of({40, 32, 24}, 0.05);
  for (const DeviceClass device : {DeviceClass::cpu_avx512, DeviceClass::gpu_9_0})
    for (const double cut : {0.0, 0.5, 1.0}) {
      const WallWork work(cut > 0.0 ? as_mesh : as_box);
      const double extra = work.over_interior(stencil, device, grid, cut) - 1.0;
      CHECK(extra == Approx(cost_per_face(stencil, Precision::f32, device, cut) * 1504.0 /
                            (3840.0 * cost_per_node(stencil, Precision::f32, device))));
      CHECK(extra > 0.0);
      CHECK(work.over_interior(stencil, device, fine, cut) - 1.0 == Approx(extra / 2.0));
      CHECK(work.over_interior(stencil, device, 0.1, cut) - 1.0 == Approx(extra));
    }
  const auto whole = [&](double cut) {
    return WallWork(as_mesh).over_interior(stencil, DeviceClass::gpu_9_0, grid, cut) - 1.0;
  };
  CHECK(whole(1.0) > 1.5 * whole(0.0));
  CHECK(whole(0.5) == Approx((whole(0.0) + whole(1.0)) / 2.0));
  Stencil own = stencil;
  own.name = "mine.toml";
  CHECK(WallWork(as_mesh).over_interior(own, DeviceClass::gpu_9_0, grid, 1.0) == 1.0);
}

}  // namespace fdtd::test
