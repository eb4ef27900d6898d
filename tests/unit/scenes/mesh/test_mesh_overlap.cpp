#include "scenes/mesh/mesh_overlap.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "scenes/mesh/mesh_diagnosis.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/meshes/exported_meshes.hpp"
#include "tests/support/meshes/meshes.hpp"

using namespace fdtd;
using namespace fdtd::test;
using Catch::Matchers::Contains;

namespace {

const std::array<std::string, 6> all_walls = {"w", "w", "w", "w", "w", "w"};

// A room of 5 x 4 x 3 m, 94 m2.
Mesh room_of(const Turn& turn) {
  Mesh mesh;
  add_box(mesh, {0, 0, 0}, {5, 4, 3}, all_walls, turn);
  return mesh;
}

std::string remarks(const Mesh& mesh) {
  std::string all;
  for (const std::string& one : remarks_of(diagnose(mesh))) all += one + "\n";
  return all;
}

double area_in(const MeshDiagnosis& found) {
  double sum = 0.0;
  for (const double area : found.areas) sum += area;
  return sum;
}

Mesh merged(Mesh mesh) {
  merge_vertices(mesh);
  return mesh;
}

// The quads divided by their other diagonals.
Mesh other_diagonal(const Mesh& quads) {
  Mesh mesh;
  for (std::size_t t = 0; t + 1 < quads.triangles.size(); t += 2) {
    const auto at = [&](std::size_t facet, std::size_t i) { return quads.vertices[quads.triangles[facet][i]]; };
    const Place a = at(t, 0), b = at(t, 1), c = at(t, 2), d = at(t + 1, 2);
    add_triangle(mesh, {a, b, d}, "w");
    add_triangle(mesh, {b, c, d}, "w");
  }
  return mesh;
}

Mesh flipped(Mesh mesh) {
  for (auto& triangle : mesh.triangles) std::swap(triangle[1], triangle[2]);
  return mesh;
}

Mesh together(std::vector<Mesh> parts) {
  Mesh mesh;
  for (const Mesh& part : parts) append(mesh, part);
  return merged(mesh);
}

}  // namespace

TEST_CASE("walls that are drawn twice are counted once and reported with their area, however they are divided",
          "[scenes]") {
  for (const Turn& turn : {Turn(unturned), turned(31.0, 17.0, {-3, 400, 12}), turned(-12.0, 71.0, {4e6, -7e6, 30})}) {
    const Mesh room = room_of(turn);
    const std::vector<std::pair<Mesh, const char*>> rows = {
        {together({room, room}), "mesh: 94 m2 are drawn twice, overlapping"},
        {together({room, other_diagonal(room)}), "mesh: 94 m2 are drawn twice, overlapping"},
        {together({flipped(other_diagonal(room)), room}), "mesh: 94 m2 are drawn twice, overlapping"},
        {together({room, refined(merged(room), 2)}), "mesh: 94 m2 are drawn twice, overlapping"},
        {together({room, room, room}), "mesh: 94 m2 are drawn up to 3 times, overlapping"},
        {together({room, other_diagonal(room), flipped(refined(merged(room), 1))}),
         "mesh: 94 m2 are drawn up to 3 times, overlapping"}};
    for (const auto& [mesh, expected] : rows) {
      Mesh judged = mesh;
      judged.single_precision = false;
      const MeshDiagnosis found = diagnose(judged);
      CHECK(area_in(found) == Approx(94.0).epsilon(1e-6));
      CHECK(found.overlap.area == Approx(94.0).epsilon(1e-6));
      CHECK_THAT(remarks(judged), Contains(expected));
    }
  }
}

TEST_CASE("walls that overlap in part are reported by that part", "[scenes]") {
  // A panel of 2 x 1 m on the floor, which reaches 0.5 m beyond its border; and two panels that share 0.6 m2.
  for (const Turn& turn : {Turn(unturned), turned(31.0, 17.0, {-3, 400, 12})}) {
    Mesh mesh = room_of(turn);
    add_quad(mesh, {Place{4, 1, 0}, Place{5.5, 1, 0}, Place{5.5, 2, 0}, Place{4, 2, 0}}, "w", turn);
    const MeshDiagnosis over = diagnose(merged(mesh));
    CHECK(over.overlap.area == Approx(1.0));
    CHECK(over.overlap.most == 2);
    CHECK(area_in(over) == Approx(94.5));
    add_quad(mesh, {Place{4.2, 1.4, 0}, Place{4.8, 1.4, 0}, Place{4.8, 2.4, 0}, Place{4.2, 2.4, 0}}, "w", turn);
    const MeshDiagnosis thrice = diagnose(merged(mesh));
    CHECK(thrice.overlap.area == Approx(1.0 + 0.6 * 0.4));
    CHECK(thrice.overlap.most == 3);
    CHECK(area_in(thrice) == Approx(94.5));
  }
}

TEST_CASE("walls that meet, plates with two sides and sheets of two materials are not drawn twice", "[scenes]") {
  CHECK(diagnose(merged(room_of(turned(31.0, 17.0)))).overlap.area == 0.0);
  CHECK(diagnose(refined(merged(room_of(turned(31.0, 17.0))), 3)).overlap.area == 0.0);
  CHECK(diagnose(apart(refined(merged(room_of(unturned)), 2), 5e-5, 3)).overlap.area == 0.0);
  CHECK(diagnose(with_divided_edges(merged(room_of(unturned)), 0.7, 1e-5, true, 4)).overlap.area < 1e-3);
  CHECK(diagnose(cylinder_mesh(3, 2.5, 48)).overlap.area == 0.0);
  CHECK(diagnose(sphere_mesh({1, 2, 3}, 1.5, 24)).overlap.area == 0.0);
  Mesh plate = room_of(unturned);
  add_box(plate, {1, 1, 1}, {2, 2, 1.0002}, all_walls);
  CHECK(diagnose(merged(plate)).overlap.area == 0.0);
  Mesh sheet = room_of(unturned);
  for (const char* side : {"felt", "wood"})
    add_quad(sheet, {Place{1, 1, 1}, Place{2, 1, 1}, Place{2, 2, 1}, Place{1, 2, 1}}, side, unturned);
  CHECK(diagnose(merged(sheet)).overlap.area == 0.0);
}
