#include "engine/images/paths.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/vectors.hpp"
#include "engine/images/lattice.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/meshes/meshes.hpp"

namespace fdtd {
namespace {

using Paths = std::vector<SpecularPath>;

FacetRoom room_of_mesh(Mesh mesh) {
  merge_vertices(mesh);
  std::vector<std::uint16_t> own;
  for (std::size_t m = 0; m < mesh.materials.size(); ++m) own.push_back(static_cast<std::uint16_t>(m));
  return facets_of_mesh(mesh, own, 1.0);
}

Paths lattice_up_to(const BoxPair& box, int order) {
  Paths paths;
  visit_images(box, 0.0, (order + 2.0) * std::max({box.sides[0], box.sides[1], box.sides[2]}),
               [&](const LatticeImage& image) {
                 if (image.order() <= order) paths.push_back(path_of_image(box, image));
               });
  return paths;
}

bool same_path(const SpecularPath& a, const SpecularPath& b) {
  if (a.facets != b.facets || std::abs(a.length - b.length) > 1e-9) return false;
  for (std::size_t i = 0; i < a.cosines.size(); ++i)
    if (std::abs(a.cosines[i] - b.cosines[i]) > 1e-9) return false;
  return norm(minus(a.departure, b.departure)) < 1e-9 && norm(minus(a.arrival, b.arrival)) < 1e-9;
}

// How many of `found` are among `due`.
std::size_t in_both(const Paths& found, const Paths& due) {
  return static_cast<std::size_t>(std::ranges::count_if(found, [&](const SpecularPath& path) {
    return std::ranges::any_of(due, [&](const SpecularPath& other) { return same_path(path, other); });
  }));
}

// Where a ray goes that leaves along the path's departure, triangle by triangle (Moeller and Trumbore): does it meet
// the path's facets, and end at the receiver?
bool holds(const FacetRoom& room, const Point& source, const Point& receiver, const SpecularPath& path) {
  Point at = source, direction = path.departure;
  double left = path.length;
  for (std::size_t leg = 0; leg <= path.facets.size(); ++leg) {
    double nearest = left;
    std::uint32_t met = no_facet;
    for (std::size_t t = 0; t < room.facet_of_triangle.size(); ++t) {
      const auto& corners = room.tree.triangles()[t];
      const Point &a = room.tree.vertices()[corners[0]], &b = room.tree.vertices()[corners[1]],
                  &c = room.tree.vertices()[corners[2]];
      const Point first = minus(b, a), second = minus(c, a), p = cross(direction, second);
      const double determinant = dot(first, p);
      if (std::abs(determinant) < 1e-12) continue;
      const Point from = minus(at, a), q = cross(from, first);
      const double u = dot(from, p) / determinant, v = dot(direction, q) / determinant,
                   distance = dot(second, q) / determinant;
      if (u < 0.0 || v < 0.0 || u + v > 1.0 || distance < 1e-7 || distance >= nearest - 1e-9) continue;
      nearest = distance;
      met = room.facet_of_triangle[t];
    }
    at = along(at, nearest, direction);
    left -= nearest;
    if (leg == path.facets.size()) return met == no_facet && norm(minus(at, receiver)) < 1e-6;
    if (met != path.facets[leg]) return false;
    const Point& normal = room.facets[met].normal;
    direction = along(direction, -2.0 * dot(direction, normal), normal);
  }
  return false;
}

// All sequences of up to `order` facets, tried one by one.
Paths exhaustive(const FacetRoom& room, const Point& source, const Point& receiver, int order) {
  const PathProof proof(room);
  Paths paths;
  std::vector<std::vector<std::uint32_t>> sequences = {{}};
  for (int n = 0; n <= order; ++n) {
    std::vector<std::vector<std::uint32_t>> longer;
    for (const auto& sequence : sequences) {
      if (const auto path = proof(source, receiver, sequence)) paths.push_back(*path);
      for (std::uint32_t facet = 0; facet < room.facets.size(); ++facet) {
        if (!sequence.empty() && sequence.back() == facet) continue;
        longer.push_back(sequence);
        longer.back().push_back(facet);
      }
    }
    sequences = std::move(longer);
  }
  return paths;
}

// (0, 0) (6, 0) (6, 2) (2, 2) (2, 6) (0, 6), 3 m high.
Mesh l_shaped() {
  Mesh mesh;
  const std::vector<std::array<double, 2>> plan = {{0, 0}, {6, 0}, {6, 2}, {2, 2}, {2, 6}, {0, 6}};
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const auto& a = plan[i];
    const auto& b = plan[(i + 1) % plan.size()];
    test::add_quad(mesh, {{{a[0], a[1], 0.0}, {b[0], b[1], 0.0}, {b[0], b[1], 3.0}, {a[0], a[1], 3.0}}}, "wall",
                   test::unturned);
  }
  for (const double z : {0.0, 3.0}) {
    const std::string name = z == 0.0 ? "floor" : "ceiling";
    test::add_quad(mesh, {{{0, 0, z}, {6, 0, z}, {6, 2, z}, {0, 2, z}}}, name, test::unturned);
    test::add_quad(mesh, {{{0, 2, z}, {2, 2, z}, {2, 6, z}, {0, 6, z}}}, name, test::unturned);
  }
  return mesh;
}

Mesh furnished_room() {
  Mesh mesh;
  test::add_box(mesh, {}, {4.7, 3.9, 2.6}, {"wall", "wall", "window", "wall", "floor", "ceiling"});
  const std::string wood = "wood";
  test::add_box(mesh, {1.6, 1.1, 0.7}, {2.9, 1.9, 0.7}, {"", "", "", "", wood, ""});            // a table's top
  test::add_box(mesh, {0.0, 2.9, 0.0}, {0.5, 3.9, 1.8}, {"", wood, wood, "", "", wood});        // in a corner
  test::add_quad(mesh, {{{3.1, 2.4, 0.3}, {4.0, 2.9, 0.3}, {4.0, 2.9, 1.7}, {3.1, 2.4, 1.7}}},  // a screen
                 "cloth", test::unturned);
  return mesh;
}

}  // namespace

TEST_CASE("paths: a box has those of its lattice, 99 % at least and none besides") {
  const BoxPair box = {{5.1, 3.6, 2.7}, {1.13, 0.71, 1.19}, {3.87, 2.83, 1.61}};
  const FacetRoom room = facets_of_box(box.sides, {0, 0, 0, 0, 0, 0});
  const Paths due = lattice_up_to(box, 8);
  CHECK(due.size() == 833);
  const std::vector<Point> receivers = {box.receiver, {0.31, 0.23, 0.17}};
  const auto found = specular_paths(room, box.source, receivers, 8, 50000);
  CHECK(found[0].size() >= 825);
  CHECK(in_both(found[0], due) == found[0].size());
  CHECK(std::ranges::is_sorted(found[0], {}, &SpecularPath::length));
  // Near a corner, too.
  const Paths corner = lattice_up_to({box.sides, box.source, receivers[1]}, 8);
  CHECK(found[1].size() >= 825);
  CHECK(in_both(found[1], corner) == found[1].size());
}

TEST_CASE("paths: the rooms of an L hear each other by the paths through the opening") {
  const FacetRoom room = room_of_mesh(l_shaped());
  REQUIRE(room.facets.size() == 8);
  const Point source = {4.5, 1.2, 1.3}, receiver = {1.2, 4.6, 1.7};
  const auto found = specular_paths(room, source, std::vector<Point>{receiver}, 4, 50000)[0];
  // In the plan nothing arrives directly or by one wall: the line from (4.5, 1.2) to the image of (1.2, 4.6) in x = 0,
  // (-1.2, 4.6), is at y = 2.69 where it must pass below 2, at x = 2; by y = 0 it is at x = 2.71 at y = 2. By y = 0
  // and then x = 0 the unfolded path, from (4.5, -1.2) to (-1.2, 4.6), meets y = 0 at x = 3.32 and x = 0 at y = 3.38
  // and passes (2, 1.34): free.
  std::array<int, 5> plan{};  // paths by number of vertical walls, among those without floor and ceiling
  std::array<int, 5> all{};
  for (const SpecularPath& path : found) {
    const auto upright = std::ranges::count_if(
        path.facets, [&](std::uint32_t facet) { return std::abs(room.facets[facet].normal[2]) < 0.5; });
    ++all[path.facets.size()];
    if (upright == static_cast<std::ptrdiff_t>(path.facets.size())) ++plan[path.facets.size()];
    CHECK(holds(room, source, receiver, path));
  }
  // By three walls two: also (6, y) after y = 0, and y = 2 before it. By four nine: unfolded in the plane alone. Floor and
  // ceiling add to a path of n walls two for each further reflection.
  CHECK(plan == std::array{0, 0, 1, 2, 9});
  CHECK(all == std::array{0, 0, 1, 2 + 2 * 1, 9 + 2 * 2 + 2 * 1});
}

TEST_CASE("paths: facets in one plane do not double an image, nor does a path through an edge") {
  // The wall x = 0 is of two materials that meet at z = 1.3: the path by it runs at this height.
  const BoxPair box = {{4.1, 3.3, 2.6}, {1.2, 0.7, 1.3}, {2.9, 2.7, 1.3}};
  Mesh mesh;
  test::add_box(mesh, {}, {4.1, 3.3, 2.6}, {"", "b", "c", "d", "e", "f"});
  test::add_quad(mesh, {{{0, 0, 0}, {0, 3.3, 0}, {0, 3.3, 1.3}, {0, 0, 1.3}}}, "low", test::unturned);
  test::add_quad(mesh, {{{0, 0, 1.3}, {0, 3.3, 1.3}, {0, 3.3, 2.6}, {0, 0, 2.6}}}, "high", test::unturned);
  const FacetRoom split = room_of_mesh(mesh);
  REQUIRE(split.facets.size() == 7);
  const auto lengths = [](const Paths& paths) {
    std::vector<double> result;
    for (const SpecularPath& path : paths) result.push_back(path.length);
    std::ranges::sort(result);
    return result;
  };
  const auto check = [&](const FacetRoom& room, const BoxPair& pair) {
    const std::vector<double> found =
        lengths(specular_paths(room, pair.source, std::vector<Point>{pair.receiver}, 4, 30000)[0]);
    const std::vector<double> due = lengths(lattice_up_to(pair, 4));
    REQUIRE(found.size() == due.size());
    for (std::size_t i = 0; i < due.size(); ++i) CHECK(found[i] == Approx(due[i]));
  };
  check(split, box);
  // Source and receiver on a diagonal of the plan: paths by two walls pass the corner's edge.
  check(facets_of_box({4.0, 4.0, 2.7}, {}), {{4.0, 4.0, 2.7}, {1.0, 1.0, 1.1}, {2.7, 2.7, 1.6}});
}

TEST_CASE("paths: in a furnished room all are found that all sequences of facets give, and rays walk them") {
  const FacetRoom room = room_of_mesh(furnished_room());
  const Point source = {0.93, 0.77, 1.24};
  const std::vector<Point> receivers = {{3.9, 1.3, 1.4}, {2.2, 1.5, 0.3}, {3.9, 3.4, 1.1}};
  const auto found = specular_paths(room, source, receivers, 5, 40000);
  for (std::size_t r = 0; r < receivers.size(); ++r) {
    for (const SpecularPath& path : found[r]) CHECK(holds(room, source, receivers[r], path));
    const Paths due = exhaustive(room, source, receivers[r], 3);
    const auto short_ones =
        std::ranges::count_if(found[r], [](const SpecularPath& path) { return path.facets.size() <= 3; });
    INFO(r << ": " << short_ones << " of " << due.size());
    CHECK(due.size() > 10);
    CHECK(static_cast<double>(in_both(found[r], due)) >= 0.99 * static_cast<double>(due.size()));
    CHECK(in_both(found[r], due) == static_cast<std::size_t>(short_ones));
  }
  // The way back is by the same facets.
  const auto back = specular_paths(room, receivers[0], std::vector<Point>{source}, 3, 40000)[0];
  for (SpecularPath path : back) {
    std::ranges::reverse(path.facets);
    CHECK(std::ranges::any_of(found[0], [&](const SpecularPath& other) { return other.facets == path.facets; }));
  }
  // Nothing is heard of the source on the other side of the screen directly.
  const Point behind = {3.3, 2.9, 1.0}, before = {3.8, 2.3, 1.0};
  const auto blocked = specular_paths(room, before, std::vector<Point>{behind}, 2, 20000)[0];
  REQUIRE(!blocked.empty());
  CHECK(!blocked.front().facets.empty());
}

TEST_CASE("paths: threads change nothing, and the order falls to that whose paths fit") {
  const FacetRoom room = room_of_mesh(furnished_room());
  const Point source = {0.93, 0.77, 1.24};
  const std::vector<Point> receivers = {{3.9, 1.3, 1.4}, {3.9, 3.4, 1.1}};
  const int before = omp_get_max_threads();
  omp_set_num_threads(1);
  auto one = specular_paths(room, source, receivers, 4, 5000);
  omp_set_num_threads(3);
  const auto three = specular_paths(room, source, receivers, 4, 5000);
  omp_set_num_threads(before);
  for (std::size_t r = 0; r < receivers.size(); ++r) {
    REQUIRE(one[r].size() == three[r].size());
    for (std::size_t i = 0; i < one[r].size(); ++i) {
      CHECK(one[r][i].length == three[r][i].length);
      CHECK(one[r][i].facets == three[r][i].facets);
      CHECK(one[r][i].departure == three[r][i].departure);
    }
  }
  const auto of_order = [](const Paths& paths, std::size_t order) {
    return static_cast<std::size_t>(
        std::ranges::count_if(paths, [&](const SpecularPath& path) { return path.facets.size() <= order; }));
  };
  const std::size_t most = std::max(of_order(one[0], 2), of_order(one[1], 2));
  REQUIRE(std::max(of_order(one[0], 3), of_order(one[1], 3)) > most);
  CHECK(limit_order(one, 4, most) == 2);
  CHECK(one[0].size() == of_order(three[0], 2));
  CHECK(one[1].size() == of_order(three[1], 2));
  CHECK(limit_order(one, 2) == 2);
  std::vector<Paths> single = {three[0]};
  CHECK(limit_order(single, 4, of_order(three[0], 1)) == 1);
  CHECK(limit_order(single, 1, 0) == 0);  // the direct path stays
}

}  // namespace fdtd
