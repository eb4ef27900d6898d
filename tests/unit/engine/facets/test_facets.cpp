#include "engine/facets/facets.hpp"

#include <cmath>
#include <map>
#include <numbers>

#include "tests/support/catch.hpp"
#include "tests/support/meshes/meshes.hpp"

namespace fdtd {
namespace {

using test::Place;

FacetRoom room_of(Mesh mesh) {
  std::vector<std::uint16_t> own;
  for (std::size_t m = 0; m < mesh.materials.size(); ++m) own.push_back(static_cast<std::uint16_t>(m));
  return facets_of_mesh(mesh, own, 1.0);
}

void add_room(Mesh& mesh, const test::Turn& turn = test::unturned) {
  test::add_box(mesh, {}, {5.0, 4.0, 3.0}, {"wall", "wall", "wall", "wall", "floor", "wall"}, turn);
}

// The sum over facets of a material whose normal is along `normal`.
double free_of(const FacetRoom& room, std::uint16_t material, const Place& normal) {
  double sum = 0.0;
  for (const Facet& f : room.facets) {
    const double cosine = f.normal[0] * normal[0] + f.normal[1] * normal[1] + f.normal[2] * normal[2];
    if (f.material == material && std::abs(cosine) > 0.99) sum += f.free_edges;
  }
  return sum;
}

double free_of(const FacetRoom& room) {
  double sum = 0.0;
  for (const Facet& f : room.facets) sum += f.free_edges;
  return sum;
}

}  // namespace

TEST_CASE("a box has six facets, of exact planes, and no free edge") {
  const FacetRoom room = facets_of_box({4.2, 3.3, 2.6}, {3, 1, 4, 1, 5, 9});
  REQUIRE(room.facets.size() == 6);
  const std::array<double, 3> sides = {4.2, 3.3, 2.6};
  for (std::size_t i = 0; i < 6; ++i) {
    const Facet& facet = room.facets[i];
    CHECK(std::abs(facet.normal[i / 2]) == 1.0);
    CHECK(facet.offset * facet.normal[i / 2] == (i % 2 == 0 ? 0.0 : sides[i / 2]));
    CHECK(facet.area == Approx(sides[0] * sides[1] * sides[2] / sides[i / 2]).epsilon(1e-14));
    CHECK(facet.free_edges == 0.0);
    CHECK(facet.material == std::array<std::uint16_t, 6>{3, 1, 4, 1, 5, 9}[i]);
  }
  CHECK(room.volume == 4.2 * 3.3 * 2.6);
  const auto hit = room.tree.hit({1.0, 1.0, 1.0}, {0.0, 1.0, 0.0}, no_facet, 9.0);
  REQUIRE(hit);
  CHECK(room.facet_of_triangle[hit->triangle] == 3);
  CHECK(hit->distance == Approx(2.3).epsilon(1e-14));
}

TEST_CASE("a table has free edges all around its top, whether a body or a sheet, in any orientation") {
  for (const bool sheet : {false, true}) {
    for (const bool turn : {false, true}) {
      const test::Turn way = turn ? test::turned(31.0, 17.0, {120.0, -40.0, 7.0}) : test::Turn(test::unturned);
      Mesh mesh;
      add_room(mesh, way);
      const std::string t = "table";
      test::add_box(mesh, {1.0, 1.0, 0.7}, {2.4, 1.8, 0.75},
                    sheet ? std::array<std::string, 6>{"", "", "", "", "", t} : std::array{t, t, t, t, t, t}, way);
      for (const bool weld : {false, true}) {
        if (weld) merge_vertices(mesh);
        const FacetRoom room = room_of(mesh);
        CHECK(room.facets.size() == (sheet ? 7 : 12));
        const Place up = way({0.0, 0.0, 1.0}), zero = way({});
        const double found = free_of(room, 2, {up[0] - zero[0], up[1] - zero[1], up[2] - zero[2]});
        CHECK(found == Approx(sheet ? 4.4 : 8.8).epsilon(1e-9));  // a body has its lower facet too
        CHECK(free_of(room, 0, {up[0] - zero[0], up[1] - zero[1], up[2] - zero[2]}) == 0.0);
      }
    }
  }
}

TEST_CASE("edges against walls are not free, nor those of a body on the floor") {
  Mesh mesh;
  add_room(mesh);
  const std::string t = "shelf";
  test::add_box(mesh, {1.0, 0.0, 1.0}, {2.0, 0.3, 1.4}, {t, t, "", t, t, t});  // at the wall y = 0
  test::add_box(mesh, {3.0, 2.0, 0.0}, {4.0, 3.0, 0.5}, {t, t, t, t, "", t});  // on the floor
  const FacetRoom room = room_of(mesh);
  CHECK(free_of(room, 2, {0.0, 0.0, 1.0}) == Approx(2.0 * 1.6 + 4.0));
  CHECK(free_of(room, 2, {1.0, 0.0, 0.0}) == Approx(2.0 * (0.3 + 0.4 + 0.3) + 2.0 * (1.0 + 2.0 * 0.5)));
  CHECK(free_of(room, 0, {1.0, 0.0, 0.0}) == 0.0);
}

TEST_CASE("facets are the same however they are divided into triangles") {
  Mesh whole, fan;
  add_room(whole);
  fan = whole;
  const auto top = [](Mesh& mesh, double x0, double y0, double x1, double y1) {
    test::add_quad(mesh, {Place{x0, y0, 0.7}, Place{x1, y0, 0.7}, Place{x1, y1, 0.7}, Place{x0, y1, 0.7}}, "table",
                   test::unturned);
  };
  top(whole, 1.0, 1.0, 2.4, 1.8);
  // Vertices of one part in the middle of edges of another; a part that is there twice, in the other orientation; a
  // triangle without area.
  top(fan, 1.0, 1.0, 1.3, 1.8);
  top(fan, 1.3, 1.0, 2.4, 1.25);
  top(fan, 1.3, 1.25, 2.4, 1.8);
  test::add_triangle(fan, {Place{1.3, 1.25, 0.7}, Place{2.4, 1.25, 0.7}, Place{2.4, 1.8, 0.7}}, "table");
  std::swap(fan.triangles.back()[0], fan.triangles.back()[1]);
  test::add_triangle(fan, {Place{1.3, 1.0, 0.7}, Place{1.3, 1.25, 0.7}, Place{1.3, 1.8, 0.7}}, "table");
  const FacetRoom a = room_of(whole), b = room_of(fan);
  REQUIRE(a.facets.size() == 7);
  REQUIRE(b.facets.size() == 7);
  CHECK(a.facets[6].area == Approx(1.12).epsilon(1e-12));
  CHECK(b.facets[6].area == Approx(1.12).epsilon(1e-12));
  CHECK(a.facets[6].free_edges == Approx(4.4).epsilon(1e-12));
  CHECK(b.facets[6].free_edges == Approx(4.4).epsilon(1e-12));
  CHECK(b.facet_of_triangle[b.facet_of_triangle.size() - 1] == no_facet);
  CHECK(b.facet_of_triangle[b.facet_of_triangle.size() - 2] == no_facet);
}

TEST_CASE("facets part at materials, at gaps and at angles, not at roundings") {
  const auto floor_of = [](double gap, double tilt, const std::string& second) {
    Mesh mesh;
    test::add_quad(mesh, {Place{0.0, 0.0, 0.0}, Place{2.0, 0.0, 0.0}, Place{2.0, 1.0, 0.0}, Place{0.0, 1.0, 0.0}},
                   "one", test::unturned);
    test::add_quad(
        mesh, {Place{2.0 + gap, 0.0, 0.0}, Place{3.0, 0.0, tilt}, Place{3.0, 1.0, tilt}, Place{2.0 + gap, 1.0, 0.0}},
        second, test::unturned);
    return room_of(mesh);
  };
  CHECK(floor_of(0.0, 0.0, "one").facets.size() == 1);
  CHECK(floor_of(1e-6, 0.0, "one").facets.size() == 1);
  CHECK(floor_of(0.0, 0.0009, "one").facets.size() == 1);
  CHECK(floor_of(0.02, 0.0, "one").facets.size() == 2);
  CHECK(floor_of(0.0, 0.003, "one").facets.size() == 2);
  CHECK(floor_of(0.0, 0.0, "two").facets.size() == 2);
  // Neither the seam of two materials nor a bend of 0.2 degrees is a free edge.
  CHECK(free_of(floor_of(0.0, 0.0, "one")) == Approx(0.0));  // outside: the sky is open all around
}

TEST_CASE("the edges of a tessellated vault and of a column of many sides are not free, those of a square pillar are") {
  const auto hall = [](int strips, int sides) {
    Mesh mesh;
    test::add_box(mesh, {}, {8.0, 6.0, 3.0}, {"", "", "wall", "wall", "wall", ""});
    const auto arc = [&](int i) {
      const double angle = std::numbers::pi * i / strips;
      return Place{0.0, 3.0 - 3.0 * std::cos(angle), 3.0 + 1.5 * std::sin(angle)};
    };
    for (int i = 0; i < strips; ++i) {
      Place a = arc(i), b = arc(i + 1), c = b, d = a;
      c[0] = d[0] = 8.0;
      test::add_quad(mesh, {a, b, c, d}, "vault", test::unturned);
    }
    for (const double x : {0.0, 8.0}) {
      test::add_quad(mesh, {Place{x, 0.0, 0.0}, Place{x, 6.0, 0.0}, Place{x, 6.0, 3.0}, Place{x, 0.0, 3.0}}, "wall",
                     test::unturned);
      for (int i = 0; i < strips; ++i) {
        Place a = arc(i), b = arc(i + 1);
        a[0] = b[0] = x;
        test::add_triangle(mesh, {Place{x, 3.0, 3.0}, a, b}, "wall");
      }
    }
    for (int i = 0; i < sides; ++i) {
      const double a = 2.0 * std::numbers::pi * i / sides, b = 2.0 * std::numbers::pi * (i + 1) / sides;
      const auto at = [](double angle, double z) {
        return Place{4.0 + 0.4 * std::cos(angle), 3.0 + 0.4 * std::sin(angle), z};
      };
      const double top = 3.0;
      test::add_quad(mesh, {at(a, 0.0), at(b, 0.0), at(b, top), at(a, top)}, "column", test::unturned);
      test::add_triangle(mesh, {at(a, top), at(b, top), Place{4.0, 3.0, top}}, "column");
    }
    return room_of(mesh);
  };
  const double rim = 2.0 * 0.8 * std::sin(std::numbers::pi / 40);  // of a side of the column, twice: its top's too
  const FacetRoom fine = hall(36, 40);
  CHECK(free_of(fine, 1, {1.0, 0.0, 0.0}) == 0.0);
  double vault = 0.0, column = 0.0;
  for (const Facet& f : fine.facets) (f.material == 1 ? vault : column) += f.material == 0 ? 0.0 : f.free_edges;
  CHECK(vault == 0.0);
  CHECK(column == Approx(40 * rim).epsilon(1e-9));
  column = 0.0;
  for (const Facet& f : hall(36, 4).facets) column += f.material == 2 ? f.free_edges : 0.0;
  CHECK(column == Approx(4 * 2.0 * 3.0 + 2.0 * 4.0 * 0.8 * std::sin(std::numbers::pi / 4)).epsilon(1e-9));
}

TEST_CASE("edges of a column are not free where its sides are divided unlike, nor where they are narrow") {
  constexpr int sides = 40;
  for (const double radius : {0.4, 0.02}) {
    for (const bool unlike : {false, true}) {
      if (unlike && radius < 0.1) continue;
      Mesh mesh;
      add_room(mesh);
      for (int i = 0; i < sides; ++i) {
        const auto at = [&](int side, double z) {
          const double angle = 2.0 * std::numbers::pi * side / sides;
          return Place{2.0 + radius * std::cos(angle), 2.0 + radius * std::sin(angle), z};
        };
        const double seam = unlike ? 0.5 + 0.05 * i : 1.0;
        test::add_quad(mesh, {at(i, 0.0), at(i + 1, 0.0), at(i + 1, seam), at(i, seam)}, "column", test::unturned);
        test::add_quad(mesh, {at(i, seam), at(i + 1, seam), at(i + 1, 3.0), at(i, 3.0)}, "column", test::unturned);
      }
      merge_vertices(mesh);
      const FacetRoom room = room_of(mesh);
      CHECK(room.facets.size() == 6 + sides);
      CHECK(free_of(room) == 0.0);
    }
  }
}

TEST_CASE("a ray that starts on a facet does not meet another one in its plane") {
  int near = 0;
  for (int way = 0; way < 20; ++way) {
    Mesh mesh;
    const test::Turn turn = test::turned(31.0 + 7.0 * way, 17.0 + 11.0 * way, {12.0, -4.0, 7.0 + way});
    add_room(mesh, turn);
    test::add_quad(mesh, {Place{1.0, 1.0, 0.0}, Place{4.1, 1.3, 0.0}, Place{3.9, 3.2, 0.0}, Place{0.8, 2.9, 0.0}},
                   "carpet", turn);
    const FacetRoom room = room_of(mesh);
    REQUIRE(room.facets.size() == 7);
    const Place zero = turn({});
    for (int i = 0; i < 400; ++i) {
      const Place from = turn({2.5, 2.0, 1.0}), to = turn({1.5 + 0.005 * i, 1.6 + 0.001 * i, 0.0});
      const double length = std::hypot(to[0] - from[0], to[1] - from[1], to[2] - from[2]);
      const Place down = {(to[0] - from[0]) / length, (to[1] - from[1]) / length, (to[2] - from[2]) / length};
      const auto floor = room.tree.hit(from, down, no_facet, 9.0);
      REQUIRE(floor);
      const Place on = {from[0] + floor->distance * down[0], from[1] + floor->distance * down[1],
                        from[2] + floor->distance * down[2]};
      const Place up = turn({0.0, 0.0, 1.0});
      const auto next = room.tree.hit(on, {up[0] - zero[0], up[1] - zero[1], up[2] - zero[2]},
                                      room.facet_of_triangle[floor->triangle], 9.0);
      REQUIRE(next);
      if (next->distance < 2.9) ++near;
    }
  }
  CHECK(near == 0);
}

TEST_CASE("where surfaces of two materials lie on each other rays meet the first that faces them") {
  // A wall of 4 x 3 m and a poster on it, turned so that no coordinate is exact.
  const auto place = [](double u, double v) {
    return Point{0.3 + 0.8 * u - 0.36 * v, 0.7 + 0.6 * u + 0.48 * v, 0.1 + 0.8 * v};
  };
  const auto add = [&](Mesh& mesh, double u0, double v0, double u1, double v1, bool other, std::uint16_t material) {
    const auto n = static_cast<std::uint32_t>(mesh.vertices.size());
    for (const Point& p : {place(u0, v0), place(u1, v0), place(u1, v1), place(u0, v1)}) mesh.vertices.push_back(p);
    if (other) {
      mesh.triangles.push_back({n, n + 1, n + 3});
      mesh.triangles.push_back({n + 3, n + 1, n + 2});
    } else {
      mesh.triangles.push_back({n, n + 1, n + 2});
      mesh.triangles.push_back({n, n + 2, n + 3});
    }
    mesh.material.insert(mesh.material.end(), 2, material);
  };
  struct Order {
    bool poster_first, turned, other;  // of the poster's triangles: their orientation, and their division
  };
  for (const Order& order : {Order{false, false, true}, Order{true, false, true}, Order{true, true, true},
                             Order{false, true, true}, Order{true, false, false}, Order{false, true, false}}) {
    Mesh mesh;
    mesh.materials = {"wall", "poster"};
    const auto add_poster = [&] {
      add(mesh, 1.1, 0.7, 2.3, 2.2, order.other, 1);
      if (order.turned)
        for (std::size_t t = mesh.triangles.size() - 2; t < mesh.triangles.size(); ++t)
          std::swap(mesh.triangles[t][0], mesh.triangles[t][1]);
    };
    if (order.poster_first) add_poster();
    add(mesh, 0.0, 0.0, 4.0, 3.0, false, 0);
    if (!order.poster_first) add_poster();
    const FacetRoom room = room_of(mesh);
    REQUIRE(room.facets.size() == 2);
    for (const double side : {-1.0, 1.0}) {
      // The wall's normal is (0.48, -0.64, 0.6).
      Point from = place(1.9, 1.4);
      from = {from[0] + side * 0.96, from[1] - side * 1.28, from[2] + side * 1.2};
      int wrong = 0;
      for (int i = 0; i < 41; ++i)
        for (int j = 0; j < 31; ++j) {
          const double u = 4.0 * (i + 0.37) / 41.0, v = 3.0 * (j + 0.41) / 31.0;
          const Point to = place(u, v);
          const double length = std::hypot(to[0] - from[0], to[1] - from[1], to[2] - from[2]);
          const Point way = {(to[0] - from[0]) / length, (to[1] - from[1]) / length, (to[2] - from[2]) / length};
          const auto hit = room.tree.hit(from, way, no_facet, 20.0);
          REQUIRE(hit);
          const bool on_poster = u > 1.1 && u < 2.3 && v > 0.7 && v < 2.2;
          const bool poster_faces = (side > 0.0) != order.turned, wall_faces = side > 0.0;
          const bool poster = poster_faces == wall_faces ? order.poster_first : poster_faces;
          const std::uint16_t due = on_poster && poster ? 1 : 0;
          if (room.facets[room.tree.facet(hit->triangle)].material != due) ++wrong;
          if (std::abs(hit->distance - length) > 1e-9) ++wrong;
        }
      CAPTURE(order.poster_first, order.turned, order.other, side);
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("sheets on both sides of a wall do not share the sky") {
  // Half a decimetre from the wall at x = 4.2 m, in one cell of the search.
  for (const bool inside_first : {true, false}) {
    Mesh mesh;
    const auto sheet = [&](double x, const std::string& name) {
      test::add_quad(mesh, {Place{x, 1.0, 1.2}, Place{x + 0.1, 1.0, 1.2}, Place{x + 0.1, 1.4, 1.2}, Place{x, 1.4, 1.2}},
                     name, test::unturned);
    };
    sheet(inside_first ? 4.05 : 4.25, inside_first ? "inside" : "outside");
    sheet(inside_first ? 4.25 : 4.05, inside_first ? "outside" : "inside");
    test::add_box(mesh, {}, {4.2, 4.0, 3.0}, {"wall", "wall", "wall", "wall", "wall", "wall"}, test::unturned);
    merge_vertices(mesh);
    const FacetRoom room = room_of(mesh);
    REQUIRE(room.facets.size() == 8);
    CHECK(room.facets[inside_first ? 0 : 1].free_edges == Approx(1.0).epsilon(1e-9));
    CHECK(room.facets[inside_first ? 1 : 0].free_edges == 0.0);
  }
}

TEST_CASE("the outside of a room has no free edge that counts, in a courtyard neither") {
  // A U: its outer edges see other walls of it.
  Mesh mesh;
  const std::vector<Place> plan = {{0, 0, 0}, {6, 0, 0}, {6, 6, 0}, {4, 6, 0},
                                   {4, 2, 0}, {2, 2, 0}, {2, 6, 0}, {0, 6, 0}};
  for (std::size_t i = 0; i < plan.size(); ++i) {
    Place a = plan[i], b = plan[(i + 1) % plan.size()], c = b, d = a;
    c[2] = d[2] = 3.0;
    test::add_quad(mesh, {a, b, c, d}, "wall", test::unturned);
  }
  for (const double z : {0.0, 3.0})
    for (const auto& [x0, y0, x1, y1] : {std::array{0.0, 0.0, 6.0, 2.0}, {0.0, 2.0, 2.0, 6.0}, {4.0, 2.0, 6.0, 6.0}})
      test::add_quad(mesh, {Place{x0, y0, z}, Place{x1, y0, z}, Place{x1, y1, z}, Place{x0, y1, z}}, "wall",
                     test::unturned);
  const FacetRoom room = room_of(mesh);
  REQUIRE(room.facets.size() == 10);  // the floor and the ceiling are one facet each
  // Inside, the two corners of the courtyard: 3 m on each of two facets.
  CHECK(free_of(room) == Approx(4 * 3.0).epsilon(1e-9));
}

}  // namespace fdtd
