// Which edges of a mesh are open: none of a closed room, however its exporter wrote it; those of a real opening, in the
// same meshes.
#include "scenes/mesh/mesh_diagnosis.hpp"

#include <omp.h>

#include <cmath>
#include <ctime>
#include <string>
#include <vector>

#include "engine/voxels/voxelise_mesh.hpp"
#include "scenes/mesh/mesh_weld.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/meshes/exported_meshes.hpp"
#include "tests/support/sanitized.hpp"

using namespace fdtd;
using namespace fdtd::test;
using Catch::Matchers::Contains;

namespace {

struct Variant {
  std::string name;
  Mesh mesh;
};

// One mesh as exporters write it.
std::vector<Variant> exported(const Mesh& mesh) {
  std::vector<Variant> made = {{"as it is", mesh}};
  for (const double amount : {1e-14, 6e-14, 1e-9, 1e-6, 5e-5})
    made.push_back({"corners apart by " + std::to_string(amount * 1e6) + " um", apart(mesh, amount, 1)});
  made.push_back({"single precision", in_single_precision(mesh, {31.7, -54.3, 12.9})});
  for (const double off : {0.0, 1e-14, 1e-7, 5e-5}) {
    const std::string um = " off by " + std::to_string(off * 1e6) + " um";
    made.push_back({"slivers" + um, with_divided_edges(mesh, 0.5, off, true, 2)});
    made.push_back({"T-shaped joints" + um, with_divided_edges(mesh, 0.5, off, false, 3)});
    made.push_back(
        {"both, apart" + um,
         apart(with_divided_edges(with_divided_edges(mesh, 0.4, off, true, 4), 0.4, off, false, 5), off, 6)});
  }
  made.push_back({"finer, T-shaped joints", with_divided_edges(refined(mesh, 3), 0.3, 1e-6, false, 7)});
  made.push_back({"finer, slivers", apart(with_divided_edges(refined(mesh, 3), 0.3, 1e-6, true, 8), 1e-7, 9)});
  return made;
}

std::string words_of(const MeshDiagnosis& diagnosis) {
  std::string all;
  for (const std::string& remark : remarks_of(diagnosis)) all += remark + "\n";
  return all;
}

// A box of 7 x 5 x 3 m whose wall at y = 0 begins 5 cm above the floor.
Mesh slit_box(const Turn& turn) {
  Mesh mesh;
  add_box(mesh, {0, 0, 0}, {7, 5, 3}, {"wall", "wall", "", "wall", "floor", "ceiling"}, turn);
  add_quad(mesh, {Place{0, 0, 0.05}, Place{7, 0, 0.05}, Place{7, 0, 3}, Place{0, 0, 3}}, "wall", turn);
  merge_vertices(mesh);
  return mesh;
}

}  // namespace

TEST_CASE("closed rooms as exporters write them have no open edge", "[scenes]") {
  const Turn turn = turned(21.0, 9.0, {12.3, -40.1, 3.7});
  const std::vector<Variant> rooms = {{"box", box_mesh({0, 0, 0}, {7, 5, 3})},
                                      {"turned box", box_mesh({0, 0, 0}, {7, 5, 3}, turn)},
                                      {"L", ell_mesh(3.1)},
                                      {"turned L", ell_mesh(3.1, turn)},
                                      {"round hall", cylinder_mesh(9.0, 6.0, 48)},
                                      {"turned hall", cylinder_mesh(9.0, 6.0, 48, turn)},
                                      {"sphere", sphere_mesh({20, 30, 40}, 6.0, 24)}};
  for (const Variant& room : rooms) {
    for (const Variant& one : exported(room.mesh)) {
      const MeshDiagnosis found = diagnose(one.mesh);
      INFO(room.name << ", " << one.name << ": " << words_of(found));
      CHECK(found.open_edges == 0);
      CHECK(found.rims.empty());
      CHECK(found.gaps.count == 0);
      CHECK(remarks_of(found).empty());
      CHECK(found.tolerance < 1e-3);
    }
  }
}

// Facets without area on the edge between two others, as modellers leave them: their own edges have no partner.
TEST_CASE("slivers that lie on edges of a closed room are no opening, and do not hide one", "[scenes]") {
  const Turn turn = turned(21.0, 9.0, {12.3, -40.1, 3.7});
  Mesh room = box_mesh({0, 0, 0}, {7, 5, 3}, turn), open = slit_box(turn);
  for (Mesh* const mesh : {&room, &open}) {
    const std::size_t facets = mesh->triangles.size();
    for (std::size_t t = 0; t < facets; ++t) {
      const Place a = mesh->vertices[mesh->triangles[t][0]], b = mesh->vertices[mesh->triangles[t][1]];
      const auto between = [&](double part) {
        Place at{};
        for (std::size_t d = 0; d < 3; ++d) at[d] = a[d] + part * (b[d] - a[d]);
        return at;
      };
      add_triangle(*mesh, {a, between(0.5), b}, mesh->materials[mesh->material[t]]);
      add_triangle(*mesh, {a, between(1.0 / 3.0), between(0.5)}, mesh->materials[mesh->material[t]]);
    }
    merge_vertices(*mesh);
  }
  const MeshDiagnosis closed = diagnose(room), slit = diagnose(open);
  INFO(words_of(closed) << words_of(slit));
  CHECK(closed.open_edges == 0);
  CHECK(remarks_of(closed).empty());
  REQUIRE(slit.rims.size() == 1);
  CHECK(slit.rims[0].width == Approx(0.05).epsilon(0.02));
}

TEST_CASE("a slit of 5 cm is found in the same meshes, with its place, length and width", "[scenes]") {
  for (const Turn& turn : {Turn(unturned), turned(21.0, 9.0, {12.3, -40.1, 3.7})}) {
    const Place centre = turn({3.5, 0.0, 0.025});
    for (const Variant& one : exported(slit_box(turn))) {
      const MeshDiagnosis found = diagnose(one.mesh);
      INFO(one.name << ": " << words_of(found));
      REQUIRE(found.rims.size() == 1);
      CHECK(found.open_edges >= 4);
      CHECK(found.rims[0].width == Approx(0.05).epsilon(0.02));
      CHECK(found.rims[0].length == Approx(14.1).epsilon(0.001));
      CHECK(std::hypot(found.rims[0].centre[0] - centre[0], found.rims[0].centre[1] - centre[1],
                       found.rims[0].centre[2] - centre[2]) < 0.01);
      CHECK_THAT(words_of(found), Contains("1 hole or free end: a slit 7 m long and 5"));
    }
  }
  const auto remark = remarks_of(diagnose(slit_box(unturned))).front();
  CHECK(
      remark ==
      "mesh: 4 open edges, 1 hole or free end: a slit 7 m long and 50 mm wide at (3.5, 0, 0.025); vertices within 0.2 "
      "mm of each other are one");
}

TEST_CASE("a missing facet is found in every variant of a mesh, and a ring between wall and floor as a gap",
          "[scenes]") {
  Mesh open = cylinder_mesh(9.0, 6.0, 48);
  open.triangles.erase(open.triangles.begin() + 4);  // of a quad of the wall
  open.material.erase(open.material.begin() + 4);
  for (const Variant& one : exported(open)) {
    const MeshDiagnosis found = diagnose(one.mesh);
    INFO(one.name << ": " << words_of(found));
    REQUIRE(found.rims.size() == 1);
    CHECK(found.rims[0].extent == Approx(6.0).epsilon(0.001));
  }
  Mesh raised;
  add_box(raised, {0, 0, 0.05}, {7, 5, 3}, {"wall", "wall", "wall", "wall", "", "ceiling"});
  add_box(raised, {0, 0, 0}, {7, 5, 3}, {"", "", "", "", "floor", ""});
  merge_vertices(raised);
  const MeshDiagnosis ring = diagnose(raised);
  CHECK(ring.rims.size() == 2);
  CHECK(ring.gaps.count == 4);
  CHECK(ring.max_gap == Approx(0.05));
}

TEST_CASE("a screen that stands on the floor is open at its free edges only", "[scenes]") {
  for (const double sunk : {0.0, 1e-5}) {
    Mesh room = box_mesh({0, 0, 0}, {7, 5, 3});
    add_quad(room, {Place{1, 1.3, sunk}, Place{4, 2.2, sunk}, Place{4, 2.2, 2}, Place{1, 1.3, 2}}, "screen", unturned);
    merge_vertices(room);
    for (const double off : {0.0, 1e-5}) {
      const MeshDiagnosis found = diagnose(apart(with_divided_edges(room, 0.5, off, true, 3), off, 4));
      INFO(words_of(found));
      REQUIRE(found.rims.size() == 1);
      CHECK(found.rims[0].length == Approx(std::hypot(3.0, 0.9) + 4.0).epsilon(0.001));
    }
  }
}

TEST_CASE("a plate much thinner than the tolerance stays closed, and facets that occur twice count once", "[scenes]") {
  Mesh room = box_mesh({0, 0, 0}, {7, 5, 3});
  add_box(room, {1, 1, 1}, {2, 2, 1.0001}, {"a", "a", "a", "a", "a", "a"});
  merge_vertices(room);
  CHECK(remarks_of(diagnose(room)).empty());
  // A room drawn with both sides of each facet, and a hole.
  Mesh twice = slit_box(unturned);
  const auto facets = twice.triangles;
  for (std::size_t t = 0; t < facets.size(); ++t) {
    twice.triangles.push_back({facets[t][0], facets[t][2], facets[t][1]});
    twice.material.push_back(twice.material[t]);
  }
  const MeshDiagnosis found = diagnose(apart(twice, 1e-9, 5));
  CHECK(found.duplicate.count == facets.size());
  REQUIRE(found.rims.size() == 1);
  CHECK(found.rims[0].width == Approx(0.05).epsilon(0.01));
}

TEST_CASE("the tolerance follows the size of the room and the precision of its coordinates", "[scenes]") {
  CHECK(weld_tolerance(box_mesh({0, 0, 0}, {3, 4, 12})) == Approx(2.6e-4));
  CHECK(weld_tolerance(box_mesh({0, 0, 0}, {3, 4, 1})) == Approx(2e-4));
  CHECK(weld_tolerance(box_mesh({0, 0, 0}, {0.03, 0.04, 0.12})) == Approx(1.3e-5));
  CHECK(weld_tolerance(box_mesh({9000, 0, 0}, {9003, 4, 12})) == Approx(4.0 * 0x1p-23 * 9003).epsilon(1e-3));
  CHECK(weld_tolerance(box_mesh({1e6, 0, 0}, {1e6 + 3, 4, 12})) == Approx(0.013));
}

TEST_CASE("a line of the grid does not leak through seams", "[scenes]") {
  // Seams that lie on lines through the centres of voxels, and all over a turned box.
  const Turn turn = turned(31.0, 14.0);
  for (const bool straight : {true, false}) {
    const Mesh room = refined(box_mesh({0, 0, 0}, {1.6, 1.2, 0.8}, straight ? Turn(unturned) : turn), 3);
    for (unsigned seed = 0; seed < 20; ++seed) {
      const Mesh mesh = apart(room, 5e-5, seed);
      MeshGrid grid{{}, {0.02, 0.02, 0.02}, {}};
      for (std::size_t d = 0; d < 3; ++d) {
        grid.size[d] = static_cast<int>(std::ceil((mesh.high[d] - mesh.low[d]) / 0.02)) + 3;
        grid.corner[d] = std::floor(mesh.low[d] / 0.02) * 0.02 - 0.03;
      }
      const Place inside = straight ? Place{0.8, 0.6, 0.4} : turn({0.8, 0.6, 0.4});
      CHECK(!voxelise_mesh(mesh, mesh.materials, grid, {inside}, {}).leaking);
    }
  }
}

TEST_CASE("a million triangles are surveyed in seconds of a processor", "[scenes]") {
  const Mesh sphere = apart(sphere_mesh({20, 30, 40}, 12.0, 710), 1e-5, 1);
  CHECK(sphere.triangles.size() > 1'000'000);
  const std::clock_t begin = std::clock();
  const MeshDiagnosis found = diagnose(sphere);
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;  // of processors
  CAPTURE(seconds);
  CHECK(found.open_edges == 0);
  CHECK(seconds < 20.0 * times_seconds);
}

TEST_CASE("many holes are found in seconds of a processor, and alike on any number of threads", "[scenes]") {
  Mesh holes = sphere_mesh({20, 30, 40}, 12.0, 360);
  for (std::size_t t = 0; t < holes.triangles.size(); ++t)
    if (t % 50 == 7) holes.triangles[t] = holes.triangles[0];
  const std::clock_t begin = std::clock();
  const MeshDiagnosis found = diagnose(holes);
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;  // of processors
  CAPTURE(seconds);
  CHECK(found.open_edges > 10'000);
  CHECK(seconds < 10.0 * times_seconds);
  const int threads = omp_get_max_threads();
  omp_set_num_threads(threads == 1 ? 2 : 1);
  CHECK(remarks_of(diagnose(holes)) == remarks_of(found));
  omp_set_num_threads(threads);
}
