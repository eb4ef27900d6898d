#include "engine/planning/room/furniture.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/meshes/meshes.hpp"

using namespace fdtd;
using namespace fdtd::test;

TEST_CASE("the hull of a box has its surface however it is turned, and points within it change nothing") {
  for (const Turn& turn : {turned(0.0, 0.0), turned(30.0, 0.0), turned(45.0, 35.0)}) {
    Mesh mesh = box_mesh({0, 0, 0}, {5.0, 4.0, 3.0}, turn);
    CHECK(hull_area(mesh.vertices) == Approx(94.0).epsilon(2e-3));
    mesh.vertices.push_back(turn({2.0, 1.0, 1.5}));
    CHECK(hull_area(mesh.vertices) == Approx(94.0).epsilon(2e-3));
  }
  CHECK(hull_area({}) == 0.0);
  CHECK(hull_area({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}) == 0.0);
}

TEST_CASE("furniture is what a room's walls have beyond its hull, other rooms of the mesh do not count") {
  const Mesh mesh = box_mesh({0, 0, 0}, {5.0, 4.0, 3.0}, turned(0.0, 0.0));
  const std::array<double, 3> low = {-0.1, -0.1, -0.1}, high = {5.1, 4.1, 3.1};
  CHECK(furnished_fraction(mesh, 94.0, low, high) < 2e-3);
  CHECK(furnished_fraction(mesh, 117.5, low, high) == Approx(0.2).margin(2e-3));
  Mesh two = mesh;
  for (const auto& v : mesh.vertices) two.vertices.push_back({v[0] + 6.0, v[1], v[2]});
  CHECK(furnished_fraction(two, 117.5, low, high) == Approx(0.2).margin(2e-3));
  CHECK(furnished_fraction(mesh, 0.0, low, high) == 0.0);
}
