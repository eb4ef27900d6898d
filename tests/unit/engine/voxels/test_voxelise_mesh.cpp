// The voxeliser against shapes whose air, areas and volumes are known.
#include "engine/voxels/voxelise_mesh.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/voxels/wall_layers.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/meshes/mesh_voxels.hpp"
#include "tests/support/meshes/meshes.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

double total(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

// Areas as the boundary takes them, volume correction included, in m2.
double boundary_area(const MeshVoxels& made, double h) {
  double sum = 0.0;
  for (const BoundaryFace& face : made.voxels.faces) sum += static_cast<double>(face.area) * h * h;
  return sum;
}

constexpr auto in_air = PlacedPoint::Where::air;

}  // namespace

TEST_CASE("a box as a mesh is the box: air, faces, areas and materials") {
  const double h = 0.1;
  const Mesh mesh = box_mesh({1.0, -2.0, 0.5}, {1.7, -1.1, 1.0});
  const MeshVoxels made = voxelise(mesh, grid_around(mesh, h), {{1.3, -1.5, 0.7}});
  const Voxels box = voxelise_box({7, 9, 5}, {h, h, h}, {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"});
  REQUIRE(made.voxels.air.size() == box.air.size());
  CHECK(made.voxels.air.all_air());
  CHECK(made.voxels.materials == box.materials);
  CHECK(same_faces(made.voxels.faces, box.faces));
  CHECK(made.air_volume == Approx(0.7 * 0.9 * 0.5).epsilon(1e-9));
}

TEST_CASE("walls between lattice lines: a box that the grid does not divide keeps its areas and its volume") {
  const Mesh mesh = box_mesh({0, 0, 0}, {1.04, 0.83, 1.27});
  const MeshVoxels made = voxelise(mesh, grid_around(mesh, 0.1), {{0.5, 0.4, 0.6}});
  CHECK(made.air_volume == Approx(1.04 * 0.83 * 1.27).epsilon(0.01));
  CHECK(made.areas[0] == Approx(0.83 * 1.27).epsilon(1e-6));
  CHECK(made.areas[2] == Approx(1.04 * 1.27).epsilon(1e-6));
  CHECK(made.areas[4] == Approx(1.04 * 0.83).epsilon(1e-6));
}

TEST_CASE("a turned box has the areas of the straight one to 2 %, wall by wall, and its volume to 0.5 %") {
  const double h = 0.08;
  for (const auto& [about_z, about_x] : {std::pair{30.0, 0.0}, {45.0, 0.0}, {12.0, 7.0}, {30.0, 20.0}, {1.0, 0.5}}) {
    CAPTURE(about_z, about_x);
    const Turn turn = turned(about_z, about_x, {0.31, -7.0, 2.0});
    const Mesh mesh = box_mesh({0, 0, 0}, {5, 4, 3}, turn);
    const MeshVoxels made = voxelise(mesh, grid_around(mesh, h), {turn({1.2, 1.5, 1.4})});
    REQUIRE(made.sources[0].where == in_air);
    CHECK(made.air_volume == Approx(60.0).epsilon(0.005));
    const std::array<double, 3> walls = {12.0, 15.0, 20.0};
    for (std::size_t side = 0; side < 6; ++side) CHECK(made.areas[side] == Approx(walls[side / 2]).epsilon(0.02));
    // Surface over volume decides the decay.
    const double in_voxels = static_cast<double>(made.voxels.air.count()) * h * h * h;
    CHECK(boundary_area(made, h) / in_voxels == Approx(94.0 / 60.0).epsilon(0.01));
  }
}

TEST_CASE("a sphere's area is right to 2 %, its volume to 0.5 %, however coarse or fine the facets") {
  for (const int n : {8, 24, 96}) {
    CAPTURE(n);
    const Mesh mesh = sphere_mesh({0.2, 0.1, -0.3}, 1.0, n);
    const MeshVoxels made = voxelise(mesh, grid_around(mesh, 0.05), {{0.2, 0.1, -0.3}});
    CHECK(made.air_volume == Approx(volume_of(mesh)).epsilon(0.005));
    CHECK(total(made.areas) == Approx(area_of(mesh)).epsilon(0.02));
  }
}

TEST_CASE(
    "a voxel of a sphere is air where its centre is inside by its wall's standoff: none along an axis, most between") {
  const double h = 0.0625;
  const Mesh mesh = sphere_mesh({0, 0, 0}, 1.0, 64);
  const MeshGrid grid = grid_around(mesh, h);
  const MeshVoxels made = voxelise(mesh, grid, {{0, 0, 0}});
  int wrong = 0, held_back = 0;
  for (int z = 0; z < grid.size[2]; ++z) {
    for (int y = 0; y < grid.size[1]; ++y) {
      for (int x = 0; x < grid.size[0]; ++x) {
        const std::array<double, 3> p = {grid.corner[0] + (x + 0.5) * h, grid.corner[1] + (y + 0.5) * h,
                                         grid.corner[2] + (z + 0.5) * h};
        const double r = std::hypot(p[0], p[1], p[2]);
        const std::array<float, 3> normal = {static_cast<float>(p[0] / r), static_cast<float>(p[1] / r),
                                             static_cast<float>(p[2] / r)};
        const double edge = 1.0 - h * standoff(normal);
        // The facets lie between radius cos(pi/64) and 1, and their normals are a little off the sphere's.
        if (r < edge - 0.004) wrong += made.voxels.air(x, y, z) ? 0 : 1;
        if (r > edge + 0.001) wrong += made.voxels.air(x, y, z) ? 1 : 0;
        held_back += r < 0.997 && !made.voxels.air(x, y, z) ? 1 : 0;
      }
    }
  }
  CHECK(wrong == 0);
  CHECK(held_back > 100);
  CHECK(standoff({1.0F, 0.0F, 0.0F}) == 0.0);
  CHECK(standoff({std::sqrt(0.5F), 0.0F, std::sqrt(0.5F)}) == Approx(0.25));
}

TEST_CASE("lines through edges and corners: an octahedron whose corners and edges lie on voxel centres stays closed") {
  // Corners on the lattice of centres: every line through them runs through a corner or along edges.
  Mesh mesh;
  const double r = 5.0;
  for (int octant = 0; octant < 8; ++octant) {
    const double x = octant & 1 ? r : -r, y = octant & 2 ? r : -r, z = octant & 4 ? r : -r;
    add_triangle(mesh, {test::Place{x, 0, 0}, test::Place{0, y, 0}, test::Place{0, 0, z}}, "wall");
  }
  merge_vertices(mesh);
  const MeshGrid grid{{13, 13, 13}, {1, 1, 1}, {-6.5, -6.5, -6.5}};
  const MeshVoxels made = voxelise(mesh, grid, {{0.1, 0.2, 0.1}});
  REQUIRE(!made.leaking);
  int wrong = 0;
  for (int z = -6; z <= 6; ++z) {
    for (int y = -6; y <= 6; ++y) {
      for (int x = -6; x <= 6; ++x)
        wrong += made.voxels.air(x + 6, y + 6, z + 6) != (std::abs(x) + std::abs(y) + std::abs(z) < 5) ? 1 : 0;
    }
  }
  CHECK(wrong == 0);  // centres on the surface itself are wall
}

TEST_CASE("facets turned any way, twice or with T-shaped joints make the same room") {
  const Mesh straight = box_mesh({0, 0, 0}, {1, 1, 1});
  Mesh odd = straight;
  for (std::size_t t = 0; t < odd.triangles.size(); t += 3) std::swap(odd.triangles[t][0], odd.triangles[t][1]);
  odd.triangles.push_back(odd.triangles[2]);
  odd.material.push_back(odd.material[2]);
  // The first facet in two, its neighbours not: a corner in the middle of an edge.
  const auto [a, b, c] = odd.triangles[0];
  test::Place middle{};
  for (std::size_t d = 0; d < 3; ++d) middle[d] = odd.vertices[a][d] + (odd.vertices[b][d] - odd.vertices[a][d]) / 3.0;
  const auto m = static_cast<std::uint32_t>(odd.vertices.size());
  odd.vertices.push_back(middle);
  odd.triangles[0] = {a, m, c};
  odd.triangles.push_back({m, b, c});
  odd.material.push_back(odd.material[0]);
  const MeshGrid grid = grid_around(straight, 0.1);
  const MeshVoxels first = voxelise(straight, grid, {{0.5, 0.5, 0.5}}), second = voxelise(odd, grid, {{0.5, 0.5, 0.5}});
  CHECK(second.voxels.air.all_air());
  CHECK(same_faces(first.voxels.faces, second.voxels.faces, 1e-6F));
}

TEST_CASE("a thin plate in the room is a wall with air on both sides, and both its sides have its area") {
  for (const double z : {0.5, 0.55, 0.52}) {  // on faces, on centres, between
    CAPTURE(z);
    Mesh mesh = box_mesh({0, 0, 0}, {1, 1, 1});
    add_quad(mesh, {test::Place{0.25, 0.25, z}, {0.75, 0.25, z}, {0.75, 0.75, z}, {0.25, 0.75, z}}, "plate", unturned);
    merge_vertices(mesh);
    const MeshVoxels made = voxelise(mesh, grid_around(mesh, 0.1), {{0.1, 0.1, 0.1}}, {{0.5, 0.5, 0.9}});
    CHECK(made.thin_voxels == Approx(25).margin(11));
    CHECK(made.receivers[0].where == in_air);
    CHECK(made.areas[6] == Approx(2.0 * 0.25).epsilon(1e-6));
    CHECK(made.air_volume == Approx(1.0).epsilon(0.01));
  }
}

TEST_CASE("a panel of 2 cm is one voxel thick wherever it lies on the grid, and each side has its area and material") {
  for (const double z : {0.415, 0.45, 0.48, 0.5, 0.52, 0.535, 0.55}) {
    CAPTURE(z);
    Mesh mesh = box_mesh({0, 0, 0}, {1, 1, 1});
    add_box(mesh, {0.25, 0.25, z}, {0.75, 0.75, z + 0.02}, {"edge", "edge", "edge", "edge", "felt", "wood"});
    merge_vertices(mesh);
    const MeshVoxels made = voxelise(mesh, grid_around(mesh, 0.1), {{0.1, 0.1, 0.1}}, {{0.5, 0.5, 0.9}});
    const std::int64_t in_layer = 1000 - made.voxels.air.count();
    CHECK(in_layer == Approx(25).margin(11));
    CHECK(made.receivers[0].where == in_air);
    CHECK(made.areas[7] == Approx(0.25).epsilon(1e-6));
    CHECK(made.areas[8] == Approx(0.25).epsilon(1e-6));
    for (const BoundaryFace& face : made.voxels.faces) {  // felt is what is heard from below
      if (face.area == 0.0F) continue;                    // at the rim, which is thinner than the grid
      const std::string& name = made.voxels.materials[face.material];
      if (name == "felt") CHECK(face.side == 5);
      if (name == "wood") CHECK(face.side == 4);
    }
  }
}

TEST_CASE("a sheet drawn from both sides has on each the material of the facets that look there") {
  for (const double z : {0.45, 0.5, 0.53}) {
    CAPTURE(z);
    Mesh mesh = box_mesh({0, 0, 0}, {1, 1, 1});
    const test::Place a = {0.25, 0.25, z}, b = {0.75, 0.25, z}, c = {0.75, 0.75, z}, d = {0.25, 0.75, z};
    add_quad(mesh, {a, b, c, d}, "wood", unturned);  // counter-clockwise from above
    add_quad(mesh, {b, a, d, c}, "felt", unturned);  // and from below, cut along the other diagonal
    merge_vertices(mesh);
    const MeshVoxels made = voxelise(mesh, grid_around(mesh, 0.1), {{0.1, 0.1, 0.1}});
    CHECK(made.areas[6] == Approx(0.25).epsilon(1e-6));
    CHECK(made.areas[7] == Approx(0.25).epsilon(1e-6));
    for (const BoundaryFace& face : made.voxels.faces) {
      if (face.area == 0.0F) continue;
      const std::string& name = made.voxels.materials[face.material];
      if (name == "felt") CHECK(face.side == 5);
      if (name == "wood") CHECK(face.side == 4);
    }
  }
  // Oblique, and of the very same facets.
  Mesh mesh = box_mesh({0, 0, 0}, {1, 1, 1});
  const test::Place a = {0.25, 0.2, 0.3}, b = {0.75, 0.25, 0.4}, c = {0.7, 0.75, 0.7};
  add_triangle(mesh, {a, b, c}, "wood");
  add_triangle(mesh, {a, c, b}, "felt");
  merge_vertices(mesh);
  const MeshVoxels made = voxelise(mesh, grid_around(mesh, 0.025), {{0.1, 0.1, 0.9}});
  CHECK(made.areas[6] == Approx(made.areas[7]).epsilon(1e-6));
  CHECK(made.areas[6] + made.areas[7] == Approx(area_of(mesh) - 6.0).epsilon(0.05));
  for (const BoundaryFace& face : made.voxels.faces) {
    if (face.area == 0.0F || face.side < 4) continue;
    const std::string& name = made.voxels.materials[face.material];
    if (name == "felt") CHECK(face.side == 5);
    if (name == "wood") CHECK(face.side == 4);
  }
}

TEST_CASE("an oblique thin plate lets nothing through and has its area on both sides") {
  Mesh mesh = box_mesh({0, 0, 0}, {2, 2, 2});
  // From wall to wall: it divides the room.
  add_quad(mesh, {test::Place{0.3, 0, 0}, {1.5, 0, 2}, {1.5, 2, 2}, {0.3, 2, 0}}, "plate", unturned);
  merge_vertices(mesh);
  const MeshVoxels one = voxelise(mesh, grid_around(mesh, 0.05), {{0.2, 1, 1}}, {{1.8, 1, 1}});
  CHECK(one.receivers[0].where == PlacedPoint::Where::apart);
  CHECK(one.receivers[0].part_volume == Approx(4.4).epsilon(0.03));
  CHECK(one.air_volume == Approx(3.6).epsilon(0.01));
  const MeshVoxels both = voxelise(mesh, grid_around(mesh, 0.05), {{0.2, 1, 1}, {1.8, 1, 1}});
  CHECK(both.air_volume == Approx(8.0).epsilon(0.01));
  CHECK(both.sources[0].part != both.sources[1].part);
  CHECK(both.areas[6] == Approx(2.0 * 2.0 * std::hypot(1.2, 2.0)).epsilon(0.03));
}

TEST_CASE("objects standing in the room are wall, and a point inside one is distinguished") {
  Mesh mesh = box_mesh({0, 0, 0}, {2, 2, 2});
  add_box(mesh, {0.5, 0.5, 0}, {0.9, 1.1, 1.2}, {"box", "box", "box", "box", "box", "box"});
  merge_vertices(mesh);
  const MeshVoxels made = voxelise(mesh, grid_around(mesh, 0.1), {{1.5, 1.5, 1.5}}, {{0.7, 0.8, 0.6}, {0.2, 0.2, 0.2}});
  CHECK(made.receivers[0].where == PlacedPoint::Where::apart);
  CHECK(made.receivers[0].part_volume == Approx(0.4 * 0.6 * 1.2).epsilon(0.01));
  CHECK(made.receivers[1].where == in_air);
  CHECK(made.air_volume == Approx(8.0 - 0.4 * 0.6 * 1.2).epsilon(1e-6));
  CHECK(made.areas[6] == Approx(2.0 * (0.4 + 0.6) * 1.2 + 0.4 * 0.6).epsilon(0.02));
}

TEST_CASE("two rooms joined by a doorway are one, by a closed wall two, and the mesh may be open where no sound goes") {
  for (const double top : {1.0, 2.0}) {  // the wall between: up to half the height, or to the ceiling
    Mesh mesh = box_mesh({0, 0, 0}, {4, 2, 2});
    add_quad(mesh, {test::Place{2.02, 0, 0}, {2.02, 2, 0}, {2.02, 2, top}, {2.02, 0, top}}, "between", unturned);
    // A facet loose in the air outside of everything matters to nobody.
    merge_vertices(mesh);
    const MeshVoxels made = voxelise(mesh, grid_around(mesh, 0.1), {{1, 1, 1}}, {{3, 1, 1}});
    CHECK(made.receivers[0].where == (top < 2.0 ? in_air : PlacedPoint::Where::apart));
  }
}

TEST_CASE("a missing facet is a leak, and the leak is found where it is") {
  Mesh mesh;
  const std::string w = "wall";
  add_box(mesh, {0, 0, 0}, {4, 3, 2.5}, {w, "", w, w, w, w});
  // The wall at x = 4 with a window of 0.6 m around (4, 2, 1.5).
  const double a = 1.7, b = 2.3, c = 1.2, d = 1.8;
  for (const auto& q : {std::array<test::Place, 4>{test::Place{4, 0, 0}, {4, a, 0}, {4, a, 2.5}, {4, 0, 2.5}},
                        {test::Place{4, b, 0}, {4, 3, 0}, {4, 3, 2.5}, {4, b, 2.5}},
                        {test::Place{4, a, 0}, {4, b, 0}, {4, b, c}, {4, a, c}},
                        {test::Place{4, a, d}, {4, b, d}, {4, b, 2.5}, {4, a, 2.5}}})
    add_quad(mesh, q, w, unturned);
  merge_vertices(mesh);
  const MeshGrid grid = grid_around(mesh, 0.1);
  const MeshVoxels made = voxelise(mesh, grid, {{0.4, 0.5, 0.3}});
  REQUIRE(made.leaking == 0U);
  const LeakPlace leak = locate_leak(mesh, grid, made.sources[0].voxel);
  CHECK(leak.position[0] == Approx(4.0).margin(0.21));
  CHECK(leak.position[1] == Approx(2.0).margin(0.31));
  CHECK(leak.position[2] == Approx(1.5).margin(0.31));
  CHECK(leak.width == Approx(0.6).margin(0.21));
}

TEST_CASE("a gap finer than the grid is closed, and one wider is not") {
  for (const double gap : {0.03, 0.35}) {
    Mesh mesh;
    const std::string w = "wall";
    add_box(mesh, {0, 0, 0}, {2, 2, 2}, {w, w, w, w, w, ""});
    add_quad(mesh, {test::Place{0, 0, 2}, {2, 0, 2}, {2, 2 - gap, 2}, {0, 2 - gap, 2}}, w, unturned);
    merge_vertices(mesh);
    const MeshVoxels made = voxelise(mesh, grid_around(mesh, 0.1), {{1, 1, 1}});
    CHECK(made.leaking.has_value() == (gap > 0.1));
  }
}

TEST_CASE("points beside walls are placed in the nearest air in their sight, never through a wall") {
  const Turn turn = turned(30.0, 0.0);
  Mesh mesh = box_mesh({0, 0, 0}, {3, 2, 2}, turn);
  const MeshVoxels made = voxelise(mesh, grid_around(mesh, 0.1), {turn({1.5, 1.0, 1.0})},
                                   {turn({0.01, 0.01, 0.01}), turn({2.999, 1.0, 1.0}), turn({-0.05, 1.0, 1.0})});
  CHECK(made.receivers[0].where == in_air);
  CHECK(made.receivers[1].where == in_air);
  CHECK(made.receivers[2].where != in_air);
}

TEST_CASE("the voxels are the same for any number of threads") {
  const Mesh mesh = sphere_mesh({0, 0, 0}, 1.0, 20);
  const MeshGrid grid = grid_around(mesh, 0.04);
  const int before = omp_get_max_threads();
  omp_set_num_threads(1);
  const MeshVoxels one = voxelise(mesh, grid, {{0, 0, 0}});
  omp_set_num_threads(3);
  const MeshVoxels three = voxelise(mesh, grid, {{0, 0, 0}});
  omp_set_num_threads(before);
  CHECK(same_faces(one.voxels.faces, three.voxels.faces));
  CHECK(one.air_volume == three.air_volume);
}
