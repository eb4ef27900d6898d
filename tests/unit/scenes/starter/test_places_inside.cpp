#include "scenes/starter/places_inside.hpp"

#include <algorithm>
#include <cmath>

#include "scenes/mesh/mesh_sight.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/meshes/meshes.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

const std::array<std::string, 6> faces = {"w", "w", "w", "w", "w", "w"};

bool within(const Point& p, const Place& low, const Place& high, double margin) {
  for (std::size_t d = 0; d < 3; ++d)
    if (!(p[d] >= low[d] + margin && p[d] <= high[d] - margin)) return false;
  return true;
}

double between(const Point& a, const Point& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

}  // namespace

TEST_CASE("places_inside: in a room with a column, a wardrobe and a table both are in its air, apart and in sight") {
  Mesh room = box_mesh({0, 0, 0}, {8, 6, 3});
  const std::vector<std::pair<Place, Place>> bodies = {
      {{3.5, 2.5, 0}, {4.5, 3.5, 3}}, {{0, 0, 0}, {2.5, 1.5, 2.2}}, {{5, 1, 0.7}, {7, 2, 0.75}}};
  for (const auto& [low, high] : bodies) add_box(room, low, high, faces);
  merge_vertices(room);
  const auto found = places_inside(room);
  REQUIRE(found);
  for (const Point& place : {found->source, found->receiver}) {
    CAPTURE(place[0], place[1], place[2]);
    CHECK(within(place, {0, 0, 0}, {8, 6, 3}, 0.5));
    for (const auto& [low, high] : bodies) CHECK_FALSE(within(place, low, high, 0.0));
  }
  CHECK(between(found->source, found->receiver) > 3.0);
  std::vector<std::uint32_t> all(room.triangles.size());
  for (std::uint32_t t = 0; t < all.size(); ++t) all[t] = t;
  CHECK(free_between(room, all, found->source, found->receiver));
}

TEST_CASE("places_inside: a room whose floor is 40 m up, a flat duct, and an L have places at heights that exist") {
  const auto high_up = places_inside(box_mesh({0, 0, 40}, {5, 4, 42.8}));
  REQUIRE(high_up);
  CHECK(high_up->source[2] == Approx(41.5));
  CHECK(high_up->receiver[2] == Approx(41.2));
  Mesh bent;  // 8 x 2 m and 2 x 8 m
  add_box(bent, {0, 0, 0}, {8, 2, 3}, {"w", "w", "w", "", "w", "w"});
  add_box(bent, {0, 2, 0}, {2, 8, 3}, {"w", "w", "", "w", "w", "w"});
  add_quad(bent, {Place{2, 2, 0}, Place{8, 2, 0}, Place{8, 2, 3}, Place{2, 2, 3}}, "w", unturned);
  merge_vertices(bent);
  const auto around = places_inside(bent);
  REQUIRE(around);
  std::vector<std::uint32_t> all(bent.triangles.size());
  for (std::uint32_t t = 0; t < all.size(); ++t) all[t] = t;
  CHECK(free_between(bent, all, around->source, around->receiver));
  for (const Point& place : {around->source, around->receiver})
    CHECK((within(place, {0, 0, 0}, {8, 2, 3}, 0.3) || within(place, {0, 0, 0}, {2, 8, 3}, 0.3)));
  const auto duct = places_inside(box_mesh({0, 0, 0}, {6, 0.5, 0.3}));
  REQUIRE(duct);
  CHECK(within(duct->source, {0, 0, 0}, {6, 0.5, 0.3}, 0.05));
  CHECK(within(duct->receiver, {0, 0, 0}, {6, 0.5, 0.3}, 0.05));
}

TEST_CASE("places_inside: sheets that enclose nothing, and a box without two of its walls, hold no places") {
  Mesh floor;
  add_quad(floor, {Place{0, 0, 0}, Place{5, 0, 0}, Place{5, 4, 0}, Place{0, 4, 0}}, "floor", unturned);
  add_quad(floor, {Place{0, 0, 3}, Place{5, 0, 3}, Place{5, 4, 3}, Place{0, 4, 3}}, "ceiling", unturned);
  merge_vertices(floor);
  CHECK_FALSE(places_inside(floor));
  Mesh open;
  add_box(open, {0, 0, 0}, {5, 4, 3}, {"", "", "y", "y", "z", "z"});
  merge_vertices(open);
  CHECK_FALSE(places_inside(open));
}
