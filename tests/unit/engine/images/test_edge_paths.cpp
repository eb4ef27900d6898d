#include "engine/images/edge_paths.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "base/vectors.hpp"
#include "engine/images/path_spectrum.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/meshes/meshes.hpp"
#include "tests/support/solutions/wedge.hpp"

namespace fdtd {
namespace {

using std::numbers::pi;

FacetRoom facets_of(Mesh mesh) {
  merge_vertices(mesh);
  std::vector<std::uint16_t> own;
  for (std::size_t m = 0; m < mesh.materials.size(); ++m) own.push_back(static_cast<std::uint16_t>(m));
  return facets_of_mesh(mesh, own, 1.0);
}

// (0, 0) (6, 0) (6, 2) (2, 2) (2, 6) (0, 6), 3 m high; turned or not.
Mesh corner_room(const test::Turn& turn) {
  Mesh mesh;
  const std::vector<std::array<double, 2>> plan = {{0, 0}, {6, 0}, {6, 2}, {2, 2}, {2, 6}, {0, 6}};
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const auto& a = plan[i];
    const auto& b = plan[(i + 1) % plan.size()];
    test::add_quad(mesh, {{{a[0], a[1], 0.0}, {b[0], b[1], 0.0}, {b[0], b[1], 3.0}, {a[0], a[1], 3.0}}}, "wall", turn);
  }
  for (const double z : {0.0, 3.0}) {
    test::add_quad(mesh, {{{0, 0, z}, {6, 0, z}, {6, 2, z}, {0, 2, z}}}, "flat", turn);
    test::add_quad(mesh, {{{0, 2, z}, {2, 2, z}, {2, 6, z}, {0, 6, z}}}, "flat", turn);
  }
  return mesh;
}

// A rectangular room of 8 x 6 x 4 m with a screen at x = 4 from y = 1 to 6, 2.5 m high, of `pieces` quads.
Mesh screen_room(int pieces, bool sealed) {
  Mesh mesh;
  test::add_box(mesh, {0, 0, 0}, {8, 6, 4}, {"wall", "wall", "wall", "wall", "wall", "wall"});
  for (int i = 0; i < pieces; ++i) {
    const double a = 1.0 + 5.0 * i / pieces, b = 1.0 + 5.0 * (i + 1) / pieces;
    test::add_quad(mesh, {{{4, a, 0}, {4, b, 0}, {4, b, sealed ? 4.0 : 2.5}, {4, a, sealed ? 4.0 : 2.5}}}, "screen",
                   test::unturned);
  }
  return mesh;
}

PathMedium rigid_medium(const FacetRoom& room) {
  PathMedium medium;
  medium.laws.assign(4, WideLaw());
  for (const Facet& facet : room.facets) medium.materials.push_back(facet.material);
  return medium;
}

}  // namespace

TEST_CASE("edge_paths: sound bends around the corner of an L, by Fermat's point, however the room is turned") {
  for (const test::Turn& turn : {test::Turn(test::unturned), test::turned(23.0, 41.0, {0.3, -1.1, 0.7})}) {
    const FacetRoom room = facets_of(corner_room(turn));
    const EdgePaths edges(room);
    const Point source = turn({4.5, 1.2, 1.0}), receiver = turn({1.2, 4.6, 1.7});
    REQUIRE(edges.blocked(source, receiver));
    const auto paths = edges(source, receiver);
    REQUIRE(paths.size() == 1);
    const double a = std::hypot(2.5, 0.8), b = std::hypot(0.8, 2.6), length = std::hypot(a + b, 0.7);
    CHECK(paths[0].length == Approx(length).epsilon(1e-12));
    const Point at = turn({2.0, 2.0, 1.0 + 0.7 * a / (a + b)});
    CHECK(norm(minus(paths[0].departure, unit(minus(at, source)))) < 1e-9);
    CHECK(norm(minus(paths[0].arrival, unit(minus(at, receiver)))) < 1e-9);
    REQUIRE(paths[0].edge);
    const EdgeBend& bend = *paths[0].edge;
    CHECK(bend.opening == Approx(1.5 * pi));
    CHECK(bend.source == Approx(std::atan2(0.8, 2.5)));
    CHECK(bend.receiver == Approx(1.5 * pi - std::atan2(0.8, 2.6)));
    const double sine = (a + b) / length;
    CHECK(bend.distance == Approx(a * b / (a + b) * sine));
    CHECK(bend.cosines[0] == Approx(sine * 0.8 / a));
    CHECK(bend.cosines[1] == Approx(sine * 0.8 / b));

    // At every audible frequency as the exact solution has it, within 1 dB.
    const PathMedium medium = rigid_medium(room);
    const std::vector<double> audible = {500.0, 1000.0, 4000.0, 16000.0};
    const auto found = PathAmplitudes(medium, audible, paths)(paths[0]);
    for (std::size_t k = 0; k < audible.size(); ++k) {
      const double exact = std::abs(test::wedge_diffraction({1.5 * pi, a, b, bend.source, bend.receiver, 0.7},
                                                            2.0 * pi * audible[k] / medium.sound_speed));
      CHECK(std::abs(20.0 * std::log10(std::abs(found[k]) / exact)) < 1.0);
    }

    const auto back = edges(receiver, source);
    REQUIRE(back.size() == 1);
    CHECK(back[0].length == Approx(length).epsilon(1e-12));
    const auto and_back = PathAmplitudes(medium, audible, back)(back[0]);
    for (std::size_t k = 0; k < audible.size(); ++k)
      CHECK(std::abs(found[k] - and_back[k]) < 1e-9 * std::abs(found[k]));
  }
}

TEST_CASE("edge_paths: a screen has a path over its top and one past its side, in whatever pieces") {
  const Point source = {2.1, 2.2, 1.2}, receiver = {6.3, 2.5, 1.1};
  std::vector<double> lengths;
  for (const int pieces : {1, 2, 7}) {
    const FacetRoom room = facets_of(screen_room(pieces, false));
    const EdgePaths edges(room);
    REQUIRE(edges.blocked(source, receiver));
    const auto paths = edges(source, receiver);
    REQUIRE(paths.size() == 2);
    CHECK(std::ranges::is_sorted(paths, {}, &SpecularPath::length));
    for (const SpecularPath& path : paths) {
      CHECK(path.facets.empty());
      CHECK(path.edge->opening == Approx(2.0 * pi));
      CHECK(path.edge->receiver - path.edge->source > pi);
    }
    if (lengths.empty()) lengths = {paths[0].length, paths[1].length};
    CHECK(paths[0].length == Approx(lengths[0]).epsilon(1e-12));
    CHECK(paths[1].length == Approx(lengths[1]).epsilon(1e-12));
  }
  CHECK(lengths[0] == Approx(std::hypot(std::hypot(1.9, 1.2) + std::hypot(2.3, 1.5), 0.1)));  // past the side, y = 1
  CHECK(lengths[1] == Approx(std::hypot(std::hypot(1.9, 1.3) + std::hypot(2.3, 1.4), 0.3)));  // over the top
}

TEST_CASE("edge_paths: nothing bends where the shortest way leaves the edge, a wall is in its way, or light falls") {
  const FacetRoom screen = facets_of(screen_room(1, false));
  // Both beyond the screen's end: the direct path is free, and no path is shadowed.
  CHECK_FALSE(EdgePaths(screen).blocked({2.1, 0.5, 1.2}, {6.3, 0.5, 1.1}));
  CHECK(EdgePaths(screen)({2.1, 0.5, 1.2}, {6.3, 0.5, 1.1}).empty());
  // To the ceiling the screen leaves its side alone; from wall to wall nothing.
  Mesh mesh = screen_room(1, true);
  const FacetRoom high = facets_of(mesh);
  CHECK(EdgePaths(high)({2.1, 2.2, 1.2}, {6.3, 2.5, 1.1}).size() == 1);
  test::add_quad(mesh, {{{4, 0, 0}, {4, 1, 0}, {4, 1, 4}, {4, 0, 4}}}, "door", test::unturned);
  const FacetRoom closed = facets_of(mesh);
  CHECK(EdgePaths(closed).blocked({2.1, 2.2, 1.2}, {6.3, 2.5, 1.1}));
  CHECK(EdgePaths(closed)({2.1, 2.2, 1.2}, {6.3, 2.5, 1.1}).empty());
  // A thick screen: the shortest way touches two edges at its top and at its side.
  Mesh thick;
  test::add_box(thick, {0, 0, 0}, {8, 6, 4}, {"wall", "wall", "wall", "wall", "wall", "wall"});
  test::add_box(thick, {3.8, 1, 0}, {4.2, 6, 2.5}, {"wood", "wood", "wood", "", "", "wood"});
  const FacetRoom board = facets_of(thick);
  CHECK(EdgePaths(board).blocked({2.1, 2.2, 1.2}, {6.3, 2.5, 1.1}));
  CHECK(EdgePaths(board)({2.1, 2.2, 1.2}, {6.3, 2.5, 1.1}).empty());
  // A higher screen before the first hides its edges: the way over its own top is left.
  Mesh two = screen_room(1, false);
  test::add_quad(two, {{{3.2, 0, 0}, {3.2, 6, 0}, {3.2, 6, 3.9}, {3.2, 0, 3.9}}}, "screen", test::unturned);
  const FacetRoom hidden = facets_of(two);
  const auto over = EdgePaths(hidden)({2.1, 2.2, 1.2}, {6.3, 2.5, 1.1});
  REQUIRE(over.size() == 1);
  CHECK(over[0].length == Approx(std::hypot(std::hypot(1.1, 2.7) + std::hypot(3.1, 2.8), 0.3)));
  // From above it one edge is enough.
  CHECK(EdgePaths(board)({2.1, 2.2, 3.1}, {4.9, 2.5, 1.1}).size() == 1);
}

TEST_CASE("edge_paths: the foot of a body that stands on a floor without sharing vertices is no edge, its top is") {
  Mesh mesh;
  test::add_box(mesh, {0, 0, 0}, {8, 6, 4}, {"wall", "wall", "wall", "wall", "wall", "wall"});
  test::add_box(mesh, {3, 2, 0}, {4, 3, 1}, {"wood", "wood", "wood", "wood", "", "wood"});
  const FacetRoom room = facets_of(mesh);
  const auto paths = EdgePaths(room)({2.0, 2.5, 2.9}, {4.2, 2.5, 0.3});
  REQUIRE(paths.size() == 1);
  CHECK(paths[0].edge->opening == Approx(1.5 * pi));
  CHECK(paths[0].length == Approx(std::hypot(2.0, 1.9) + std::hypot(0.2, 0.7)));
  // A source in the plane of the top.
  const auto level = EdgePaths(room)({2.0, 2.5, 1.0}, {4.2, 2.5, 0.3});
  REQUIRE(level.size() == 1);
  CHECK(std::abs(level[0].edge->source) < 1e-9);
  const auto back = EdgePaths(room)({4.2, 2.5, 0.3}, {2.0, 2.5, 1.0});
  REQUIRE(back.size() == 1);
  CHECK(back[0].length == Approx(level[0].length).epsilon(1e-12));
}

}  // namespace fdtd
