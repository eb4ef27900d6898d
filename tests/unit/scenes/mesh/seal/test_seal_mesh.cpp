// Narrow openings to the outside, closed in the mesh: which of them, with what, and whether rays stay inside.
#include "scenes/mesh/seal/seal_mesh.hpp"

#include <omp.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>

#include "base/math/philox.hpp"
#include "base/vectors.hpp"
#include "scenes/mesh/mesh_diagnosis.hpp"
#include "scenes/mesh/tree/triangle_tree.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/meshes/leaky_rooms.hpp"
#include "tests/support/places.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

const Place size = {4.0, 3.0, 2.5}, middle = {2.1, 1.4, 1.2};
const Turn oblique = turned(27.0, 13.0, {3.1, -2.2, 0.7});

// Rays from a point that get away from a mesh in 40 diffuse reflections.
int rays_lost(const Mesh& mesh, const Point& from, std::uint32_t rays = 4000) {
  std::vector<std::uint32_t> facets(mesh.triangles.size());
  std::iota(facets.begin(), facets.end(), 0U);
  const TriangleTree tree(mesh.vertices, mesh.triangles, facets);
  int lost = 0;
  for (std::uint32_t ray = 0; ray < rays; ++ray) {
    Point at = from, normal{};
    for (std::uint32_t n = 0; n <= 40; ++n) {
      const PhiloxCounter random = philox({ray, n, 0, 0}, {1, 2});
      const double z = 1.0 - 2.0 * uniform(random[0]), turn = 2.0 * std::numbers::pi * uniform(random[1]);
      const double radius = std::sqrt(1.0 - z * z);
      Point way = plus(normal, Point{radius * std::cos(turn), radius * std::sin(turn), z});
      if (!(norm(way) > 1e-6)) break;
      way = unit(way);
      const auto hit = tree.hit(at, way, no_facet, std::numeric_limits<double>::infinity());
      if (!hit) {
        ++lost;
        break;
      }
      normal = unit(area_vector(mesh, hit->triangle));
      if (dot(normal, way) > 0.0) normal = scaled(-1.0, normal);
      at = along(along(at, hit->distance, way), 1e-8, normal);
    }
  }
  return lost;
}

double area(const Sealing& sealing) {
  double sum = 0.0;
  for (const SealedOpening& one : sealing.openings) sum += one.area;
  return sum;
}

bool near(double value, double right, double share) { return std::abs(value - right) <= share * std::abs(right); }

}  // namespace

TEST_CASE("slits of 0.1 mm to 0.2 m below a ceiling close where they are narrower than the width, turned or not",
          "[unit]") {
  for (const Turn& turn : {Turn(unturned), oblique})
    for (const double gap : {1e-4, 1e-3, 0.005, 0.0499, 0.05, 0.0501, 0.2}) {
      CAPTURE(gap, turn(middle)[0]);
      Mesh mesh = room_with_short_wall(size, gap, turn);
      const std::size_t before = mesh.triangles.size();
      const Point low = mesh.low, high = mesh.high;
      const Sealing sealing = seal_mesh(mesh, 0.05, {turn(middle)});
      if (gap < 0.05 * (1.0 - 1e-9) && gap != 0.05) {
        REQUIRE(sealing.openings.size() == 1);
        const SealedOpening& one = sealing.openings[0];
        CHECK(near(one.width, gap, 1e-3));
        CHECK(near(one.length, 3.0, 1e-3));
        CHECK(near(one.area, 3.0 * gap, 2e-3));
        CHECK(norm(minus(one.position, turn({0.0, 1.5, 2.5 - 0.5 * gap}))) < 1e-3);
        CHECK(mesh.materials[one.material] == "ceiling");
        CHECK(mesh.triangles.size() > before);
        CHECK(rays_lost(mesh, turn(middle)) == 0);
      } else if (gap > 0.05) {
        CHECK(sealing.openings.empty());
        CHECK(mesh.triangles.size() == before);
        CHECK(rays_lost(mesh, turn(middle)) > 0);
      }
      CHECK(mesh.low == low);
      CHECK(mesh.high == high);
      CHECK(mesh.material.size() == mesh.triangles.size());
    }
}

TEST_CASE("a slit of a studio between a solid beam and the ceiling closes flush with the beam, for any finer width",
          "[unit]") {
  for (const double width : {0.0051, 0.05, 0.29})
    for (const Turn& turn : {Turn(unturned), oblique}) {
      CAPTURE(width);
      Mesh mesh = studio(0.005, turn);
      const Place inside = turn({3.0, 2.0, 1.2});
      const Sealing sealing = seal_mesh(mesh, width, {inside});
      REQUIRE(sealing.openings.size() == 1);
      CHECK(near(sealing.openings[0].width, 0.005, 1e-3));
      CHECK(near(sealing.openings[0].length, 5.6, 1e-3));
      CHECK(near(sealing.openings[0].area, 0.028, 1e-3));
      CHECK(norm(minus(sealing.openings[0].position, turn({0.1, 2.8, 2.9975}))) < 1e-3);
      CHECK(rays_lost(mesh, inside) == 0);
    }
  Mesh mesh = studio(0.005);
  CHECK(seal_mesh(mesh, 0.0049, {{3.0, 2.0, 1.2}}).openings.empty());
}

TEST_CASE("holes, and several slits at once, close by the circle that fits in them", "[unit]") {
  Mesh mesh = room_with_holes(size, {{1.0, 1.04, 1.0, 1.04}, {2.0, 2.003, 0.5, 1.5}, {0.3, 0.36, 0.3, 0.36}}, oblique);
  const Sealing sealing = seal_mesh(mesh, 0.05, {oblique(middle)});
  REQUIRE(sealing.openings.size() == 2);  // the third is 60 mm wide
  CHECK(near(sealing.openings[0].area, 0.003, 1e-3));
  CHECK(near(sealing.openings[0].width, 0.003, 1e-3));
  CHECK(near(sealing.openings[1].area, 0.0016, 1e-6));
  CHECK(near(sealing.openings[1].width, 0.04, 0.02));
  CHECK(rays_lost(mesh, oblique(middle), 20000) > 0);
  CHECK(seal_mesh(mesh, 0.07, {oblique(middle)}).openings.size() == 1);
  CHECK(rays_lost(mesh, oblique(middle), 20000) == 0);
}

TEST_CASE("walls that end apart close along their edges and at their corners", "[unit]") {
  Mesh mesh = room_of_separate_walls(size, 0.005, oblique);
  const Sealing sealing = seal_mesh(mesh, 0.05, {oblique(middle)});
  REQUIRE(sealing.openings.size() == 1);
  const double slant = 0.005 * std::sqrt(2.0), edges = 4.0 * (3.99 + 2.99 + 2.49);
  CHECK(near(sealing.openings[0].width, slant, 1e-3));
  CHECK(near(area(sealing), edges * slant + 8.0 * std::sqrt(0.1875) * slant * slant, 1e-3));
  CHECK(rays_lost(mesh, oblique(middle)) == 0);
}

TEST_CASE("the gap around a door leaf closes, of sheets and of solid blocks", "[unit]") {
  Mesh sheets = room_with_holes(size, {{1.0, 2.0, 0.3, 2.1}});
  add_quad(sheets, {Place{0, 1.01, 0.31}, {0, 1.99, 0.31}, {0, 1.99, 2.09}, {0, 1.01, 2.09}}, "leaf", unturned);
  merge_vertices(sheets);
  const Sealing flat = seal_mesh(sheets, 0.05, {middle});
  REQUIRE(flat.openings.size() == 1);
  CHECK(near(flat.openings[0].area, 1.8 - 0.98 * 1.78, 1e-3));
  CHECK(rays_lost(sheets, middle) == 0);
  for (const Turn& turn : {Turn(unturned), oblique}) {
    Mesh blocks = room_of_blocks(0.01, turn);
    const Sealing solid = seal_mesh(blocks, 0.05, {turn(middle)});
    REQUIRE(solid.openings.size() == 1);
    CHECK(near(solid.openings[0].area, 2.1 - 0.98 * 2.08, 1e-3));
    CHECK(rays_lost(blocks, turn(middle)) == 0);
  }
}

TEST_CASE("missing triangles and cracks at joints that do not meet close", "[unit]") {
  Mesh mesh;
  add_box(mesh, {0, 0, 0}, size, {"wall", "wall", "wall", "wall", "floor", ""});
  const Place a{0, 0, 2.5}, b{4, 0, 2.5}, c{4, 3, 2.5}, d{0, 3, 2.5}, p{2, 1.5, 2.5}, q{2.05, 1.5, 2.5},
      r{2.02, 1.54, 2.5};
  for (const auto& t : {std::array{a, b, p}, {p, b, q}, {b, c, q}, {q, c, r}, {c, d, r}, {d, p, r}, {d, a, p}})
    add_triangle(mesh, t, "ceiling");
  merge_vertices(mesh);
  const Sealing missing = seal_mesh(mesh, 0.05, {middle});
  REQUIRE(missing.openings.size() == 1);
  CHECK(near(missing.openings[0].area, 0.001, 1e-6));
  CHECK(rays_lost(mesh, middle, 20000) == 0);

  Mesh crack;
  add_box(crack, {0, 0, 0}, size, {"wall", "wall", "wall", "wall", "floor", ""});
  const Place left{0, 1.5, 2.5}, right{4, 1.5, 2.5}, off{2, 1.502, 2.5};
  for (const auto& t : {std::array{a, b, right}, {a, right, left}, {left, off, d}, {off, c, d}, {off, right, c}})
    add_triangle(crack, t, "ceiling");
  merge_vertices(crack);
  const Sealing closed = seal_mesh(crack, 0.05, {middle});
  REQUIRE(closed.openings.size() == 1);
  CHECK(near(closed.openings[0].width, 0.002, 0.01));
  CHECK(near(closed.openings[0].area, 0.004, 1e-3));
  CHECK(rays_lost(crack, middle) == 0);
}

TEST_CASE("slits inside a room, between rooms and around furniture stay, and so do openings wider than the width",
          "[unit]") {
  // Two rooms: a slit of 5 mm and a doorway between them; one slit to the outside.
  for (const bool door : {false, true}) {
    CAPTURE(door);
    Mesh mesh;
    add_box(mesh, {0, 0, 0}, {8, 3, 2.5}, {"", "wall", "wall", "wall", "floor", "ceiling"});
    add_wall_with_holes(mesh, 0.0, 3.0, 2.5, {{1.0, 2.5, 1.0, 1.005}}, "front", unturned);
    std::vector<Rectangle> between{{0.2, 2.8, 2.2, 2.205}};
    if (door) between.push_back({1.0, 1.9, 0.0, 2.0});
    add_wall_with_holes(mesh, 4.0, 3.0, 2.5, between, "partition", unturned);
    add_box(mesh, {5, 1, 0.004}, {6, 2, 0.5}, all_walls);  // a cupboard 4 mm above the floor
    add_box(mesh, {2, 0.01, 1}, {3, 0.05, 2}, all_walls);  // a panel 10 mm before a wall
    for (int slat = 0; slat < 5; ++slat)                   // a grille
      add_box(mesh, {3.0, 1.0 + 0.05 * slat, 1.0}, {3.01, 1.03 + 0.05 * slat, 2.0}, all_walls);
    merge_vertices(mesh);
    const Sealing sealing = seal_mesh(mesh, 0.05, {middle, {6.5, 1.5, 1.2}});
    REQUIRE(sealing.openings.size() == 1);
    CHECK(near(sealing.openings[0].area, 0.0075, 1e-3));
    CHECK(std::abs(sealing.openings[0].position[0]) < 1e-6);
    Mesh one_source = mesh;  // the second room has neither a source nor a receiver, and is no outside for that
    CHECK(seal_mesh(one_source, 0.05, {middle}).openings.empty());
  }
}

TEST_CASE("a watertight room, its free sheets and points outside of it leave the mesh as it is", "[unit]") {
  Mesh mesh = box_mesh({0, 0, 0}, size);
  add_quad(mesh, {Place{1, 1, 1}, {1, 1.03, 1}, {1, 1.03, 2}, {1, 1, 2}}, "x_min", unturned);  // a slat of 30 mm
  merge_vertices(mesh);
  for (const std::vector<Point>& inside : {std::vector<Point>{middle}, {{-1.0, 1.0, 1.0}}, {}}) {
    Mesh same = mesh;
    CHECK(seal_mesh(same, 0.05, inside).openings.empty());
    CHECK(same.triangles == mesh.triangles);
    CHECK(same.vertices == mesh.vertices);
  }
}

TEST_CASE("the example hall, watertight, is closed as it is", "[unit]") {
  std::string why;
  const auto hall = read_mesh(FDTD_SOURCE_DIR "/scenes/examples/hall.obj", {}, why);
  REQUIRE(hall);
  for (const double width : {0.01, 0.1}) {
    Mesh mesh = *hall;
    CHECK(seal_mesh(mesh, width, {{2.0, 0.5, 2.5}, {9.0, -1.5, 1.8}, {14.5, 2.0, 5.6}}).openings.empty());
    CHECK(mesh.vertices == hall->vertices);
  }
}

TEST_CASE("the surface that closes a slit has the material of the larger area at its border", "[unit]") {
  Mesh mesh = room_with_holes({4.0, 3.0, 2.5}, {{0.0, 3.0, 2.49, 2.5}});  // up to the ceiling: 12 m2 against 7.5
  const Sealing sealing = seal_mesh(mesh, 0.02, {middle});
  REQUIRE(sealing.openings.size() == 1);
  CHECK(mesh.materials[sealing.openings[0].material] == "ceiling");
  const MeshDiagnosis diagnosis = diagnose(mesh);
  for (std::size_t m = 0; m < mesh.materials.size(); ++m)
    if (mesh.materials[m] == "ceiling") CHECK(near(diagnosis.areas[m], 12.0 + 0.03, 1e-4));
  CHECK(diagnosis.open_edges == 0);
}

TEST_CASE("openings close alike for any number of threads", "[unit]") {
  const int threads = omp_get_max_threads();
  std::vector<Mesh> made;
  for (const int count : {1, 2, 5}) {
    omp_set_num_threads(count);
    Mesh mesh = room_of_blocks(0.01, oblique);
    seal_mesh(mesh, 0.05, {oblique(middle)});
    made.push_back(std::move(mesh));
  }
  omp_set_num_threads(threads);
  for (const Mesh& mesh : made) {
    CHECK(mesh.vertices == made[0].vertices);
    CHECK(mesh.triangles == made[0].triangles);
    CHECK(mesh.material == made[0].material);
  }
}
