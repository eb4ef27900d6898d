// Cut voxels against shapes whose volumes, areas and passages are known.
#include "scenes/cut_room.hpp"

#include <omp.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "scenes/voxelise_mesh.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/mesh_voxels.hpp"
#include "tests/support/meshes.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

double total(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

double passage(const Voxels& room, std::size_t axis, std::uint64_t node) {
  for (const CutShare& one : room.cut.passages[axis])
    if (one.node == node) return static_cast<double>(one.share);
  return 1.0;
}

double volume_share(const Voxels& room, std::uint64_t node) {
  for (const CutShare& one : room.cut.volumes)
    if (one.node == node) return static_cast<double>(one.share);
  return 1.0;
}

constexpr auto in_air = PlacedPoint::Where::air;

}  // namespace

TEST_CASE("a box as a mesh is the box where voxels may be cut: air, faces, areas and materials") {
  const double h = 0.1;
  const Mesh mesh = box_mesh({1.0, -2.0, 0.5}, {1.7, -1.1, 1.0});
  const MeshVoxels made = voxelise(mesh, grid_around(mesh, h, true), {{1.3, -1.5, 0.7}});
  const Voxels box = voxelise_box({7, 9, 5}, {h, h, h}, {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"});
  CHECK(made.voxels.air.all_air());
  CHECK(made.voxels.cut.empty());
  CHECK(made.voxels.materials == box.materials);
  CHECK(same_faces(made.voxels.faces, box.faces));
  CHECK(made.air_volume == Approx(0.7 * 0.9 * 0.5).epsilon(1e-9));
}

TEST_CASE("walls along the grid between its faces: volumes and areas are exact") {
  const Mesh mesh = box_mesh({0, 0, 0}, {1.04, 0.83, 1.27});
  const MeshVoxels made = voxelise(mesh, grid_around(mesh, 0.1, true), {{0.5, 0.4, 0.6}});
  CHECK(made.air_volume == Approx(1.04 * 0.83 * 1.27).epsilon(1e-3));
  const std::array<double, 3> walls = {0.83 * 1.27, 1.04 * 1.27, 1.04 * 0.83};
  for (std::size_t side = 0; side < 6; ++side) CHECK(made.areas[side] == Approx(walls[side / 2]).epsilon(5e-3));
}

TEST_CASE("a turned box, cut, has the areas of the straight one to 0.5 %, wall by wall, and its volume to 0.1 %") {
  const double h = 0.08;
  for (const auto& [about_z, about_x] : {std::pair{30.0, 0.0}, {45.0, 0.0}, {12.0, 7.0}, {30.0, 20.0}, {1.0, 0.5}}) {
    CAPTURE(about_z, about_x);
    const Turn turn = turned(about_z, about_x, {0.31, -7.0, 2.0});
    const Mesh mesh = box_mesh({0, 0, 0}, {5, 4, 3}, turn);
    const MeshVoxels made = voxelise(mesh, grid_around(mesh, h, true), {turn({1.2, 1.5, 1.4})});
    REQUIRE(made.sources[0].where == in_air);
    CHECK(made.air_volume == Approx(60.0).epsilon(1e-3));
    const std::array<double, 3> walls = {12.0, 15.0, 20.0};
    for (std::size_t side = 0; side < 6; ++side) CHECK(made.areas[side] == Approx(walls[side / 2]).epsilon(5e-3));
  }
}

TEST_CASE("a sphere, cut, has its area to 0.5 % and its volume to 0.2 %") {
  for (const int n : {8, 24, 96}) {
    CAPTURE(n);
    const Mesh mesh = sphere_mesh({0.2, 0.1, -0.3}, 1.0, n);
    const MeshVoxels made = voxelise(mesh, grid_around(mesh, 0.1, true), {{0.2, 0.1, -0.3}});
    CHECK(made.air_volume == Approx(volume_of(mesh)).epsilon(2e-3));
    CHECK(total(made.areas) == Approx(area_of(mesh)).epsilon(5e-3));
  }
}

TEST_CASE("in a prism the volumes of cut voxels are their sections") {
  const double h = 0.1, slope = 0.5;
  const Turn turn = turned(std::atan(slope) * 180.0 / std::numbers::pi, 0.0);
  const Mesh mesh = box_mesh({0, 0, 0}, {3, 2, 0.5}, turn);
  const MeshGrid grid = grid_around(mesh, h, true);
  const MeshVoxels made = voxelise(mesh, grid, {turn({1.5, 1.0, 0.25})});
  // Along z the room is a prism: the passage of a cut voxel to the next along z is its volume.
  const auto [nx, ny, nz] = grid.size;
  int checked = 0;
  double worst = 0.0, sum = 0.0;
  for (const CutShare& one : made.voxels.cut.volumes) {
    const int z = static_cast<int>(one.node / static_cast<std::uint64_t>(nx) / static_cast<std::uint64_t>(ny));
    if (z < 1 || z > nz - 3 || static_cast<double>(one.share) >= 1.0) continue;
    const double off = std::abs(static_cast<double>(one.share) - passage(made.voxels, 2, one.node));
    worst = std::max(worst, off);
    sum += off;
    ++checked;
  }
  CHECK(checked > 100);
  CHECK(sum < 1e-3 * checked);
  CHECK(worst < 0.04);  // where two walls meet between the points of the lattice
}

TEST_CASE("a sheet in the room takes no volume and closes the passages that it crosses") {
  const double h = 0.1;
  Mesh mesh = box_mesh({0, 0, 0}, {1.0, 0.8, 0.6});
  // Up from the floor to z = 0.33, across the whole width.
  add_triangle(mesh, {test::Place{0.5, 0, 0}, test::Place{0.5, 0.8, 0}, test::Place{0.5, 0.8, 0.33}}, "sheet");
  add_triangle(mesh, {test::Place{0.5, 0, 0}, test::Place{0.5, 0.8, 0.33}, test::Place{0.5, 0, 0.33}}, "sheet");
  merge_vertices(mesh);
  const MeshVoxels made = voxelise(mesh, grid_around(mesh, h, true), {{0.2, 0.4, 0.3}});
  CHECK(made.thin_voxels == 0);
  CHECK(made.air_volume == Approx(0.48).epsilon(1e-6));
  CHECK(made.voxels.cut.volumes.empty());
  const auto node = [](int x, int y, int z) { return static_cast<std::uint64_t>(x + 10 * (y + 8 * z)); };
  CHECK(passage(made.voxels, 0, node(4, 3, 1)) == 0.0);
  CHECK(passage(made.voxels, 0, node(4, 3, 2)) == 0.0);
  CHECK(passage(made.voxels, 0, node(4, 3, 3)) == 1.0);  // there is a way around the edge within the voxels
  CHECK(passage(made.voxels, 0, node(4, 3, 4)) == 1.0);
  CHECK(passage(made.voxels, 0, node(5, 3, 1)) == 1.0);
  CHECK(made.areas.back() == Approx(2.0 * 0.8 * 0.33).epsilon(0.02));
  CHECK(volume_share(made.voxels, node(4, 3, 3)) == 1.0);
}

TEST_CASE("a panel thinner than a voxel, oblique: each side has its area and material, and nothing of the other") {
  Mesh mesh = box_mesh({0, 0, 0}, {2.0, 1.6, 0.8});
  const Turn turn = turned(25.0, 0.0, {0.0, 0.0, 0.0});
  // A wall through the whole room, 3 cm thick, of two faces.
  const auto face = [&](double x, const char* material) {
    const auto at = [&](double y, double z) {
      const auto p = turn({x, y, 0.0});
      return test::Place{p[0] + 0.7, p[1], z};
    };
    add_triangle(mesh, {at(-1.0, -1.0), at(4.0, -1.0), at(4.0, 2.0)}, material);
    add_triangle(mesh, {at(-1.0, -1.0), at(4.0, 2.0), at(-1.0, 2.0)}, material);
  };
  face(0.6, "left");
  face(0.63, "right");
  merge_vertices(mesh);
  MeshGrid grid{{20, 16, 8}, {0.1, 0.1, 0.1}, {0, 0, 0}, true};
  const MeshVoxels made = voxelise(mesh, grid, {{0.3, 1.2, 0.4}, {1.8, 0.3, 0.4}});
  REQUIRE(made.sources[0].where == in_air);
  REQUIRE(made.sources[1].where == in_air);
  CHECK(made.sources[0].part != made.sources[1].part);
  const double height = 1.6 / std::cos(25.0 * std::numbers::pi / 180.0);
  CHECK(made.areas[made.areas.size() - 2] == Approx(height * 0.8).epsilon(0.01));
  CHECK(made.areas.back() == Approx(height * 0.8).epsilon(0.01));
  CHECK(made.air_volume == Approx(2.56 - 0.03 * height * 0.8).epsilon(5e-3));
}

TEST_CASE("cut voxels are the same for any number of threads") {
  const Mesh mesh = sphere_mesh({0.2, 0.1, -0.3}, 1.0, 24);
  const int before = omp_get_max_threads();
  omp_set_num_threads(1);
  const MeshVoxels one = voxelise(mesh, grid_around(mesh, 0.07, true), {{0.2, 0.1, -0.3}});
  omp_set_num_threads(3);
  const MeshVoxels three = voxelise(mesh, grid_around(mesh, 0.07, true), {{0.2, 0.1, -0.3}});
  omp_set_num_threads(before);
  CHECK(same_faces(one.voxels.faces, three.voxels.faces));
  const auto same = [](const CutShare& a, const CutShare& b) { return a.node == b.node && a.share == b.share; };
  CHECK(std::equal(one.voxels.cut.volumes.begin(), one.voxels.cut.volumes.end(), three.voxels.cut.volumes.begin(),
                   three.voxels.cut.volumes.end(), same));
  for (std::size_t d = 0; d < 3; ++d)
    CHECK(std::equal(one.voxels.cut.passages[d].begin(), one.voxels.cut.passages[d].end(),
                     three.voxels.cut.passages[d].begin(), three.voxels.cut.passages[d].end(), same));
}
