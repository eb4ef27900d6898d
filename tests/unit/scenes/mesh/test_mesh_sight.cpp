#include "scenes/mesh/mesh_sight.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <span>

#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

Mesh random_triangles(int count, double size, std::uint32_t seed) {
  std::mt19937 numbers(seed);
  std::uniform_real_distribution<double> place(-4.0, 4.0), side(-size, size);
  Mesh mesh;
  for (int t = 0; t < count; ++t) {
    const Point at = {place(numbers), place(numbers), place(numbers)};
    for (int c = 0; c < 3; ++c) {
      mesh.vertices.push_back(at);
      for (double& x : mesh.vertices.back()) x += side(numbers);
    }
    const auto first = static_cast<std::uint32_t>(3 * t);
    mesh.triangles.push_back({first, first + 1, first + 2});
  }
  return mesh;
}

// Of the tetrahedron of four points, times six.
double volume(const Point& a, const Point& b, const Point& c, const Point& d) {
  const Point u = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, v = {c[0] - a[0], c[1] - a[1], c[2] - a[2]},
              w = {d[0] - a[0], d[1] - a[1], d[2] - a[2]};
  return u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) + u[2] * (v[0] * w[1] - v[1] * w[0]);
}

// By the orientations of tetrahedra, over all triangles.
bool crosses_any(const Mesh& mesh, const Point& a, const Point& b) {
  return std::ranges::any_of(mesh.triangles, [&](const auto& t) {
    const Point &p = mesh.vertices[t[0]], &q = mesh.vertices[t[1]], &r = mesh.vertices[t[2]];
    if (volume(a, p, q, r) * volume(b, p, q, r) > 0.0) return false;
    const double one = volume(a, b, p, q), two = volume(a, b, q, r), three = volume(a, b, r, p);
    return (one > 0.0) == (two > 0.0) && (two > 0.0) == (three > 0.0);
  });
}

}  // namespace

TEST_CASE("triangles near boxes are those whose bounding boxes intersect them", "[mesh_sight]") {
  const Mesh mesh = random_triangles(2000, 0.6, 1);
  std::mt19937 numbers(2);
  std::uniform_real_distribution<double> place(-5.0, 5.0), side(0.0, 1.5);
  std::vector<AxisBox> boxes(40);
  for (AxisBox& box : boxes)
    for (std::size_t d = 0; d < 3; ++d) {
      box.low[d] = place(numbers);
      box.high[d] = box.low[d] + side(numbers);
    }
  boxes[7].low = boxes[7].high = mesh.vertices[mesh.triangles[11][2]];  // touches alone
  const std::vector<std::vector<std::uint32_t>> near = triangles_near(mesh, boxes);
  std::size_t found = 0;
  for (std::size_t b = 0; b < boxes.size(); ++b) {
    std::vector<std::uint32_t> expected;
    for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
      bool meets = true;
      for (std::size_t d = 0; d < 3; ++d) {
        double low = INFINITY, high = -INFINITY;
        for (const std::uint32_t v : mesh.triangles[t]) {
          low = std::min(low, mesh.vertices[v][d]);
          high = std::max(high, mesh.vertices[v][d]);
        }
        meets = meets && low <= boxes[b].high[d] && high >= boxes[b].low[d];
      }
      if (meets) expected.push_back(t);
    }
    CHECK(near[b] == expected);
    found += expected.size();
  }
  CHECK(found > 150);
  CHECK(std::ranges::count(near[7], 11U) == 1);
  const std::vector<AxisBox> few(boxes.begin() + 4, boxes.begin() + 9);
  CHECK(std::ranges::equal(triangles_near(mesh, few), std::span(near).subspan(4, 5)));
  CHECK(triangles_near(mesh, {}).empty());
  CHECK(triangles_near(Mesh(), boxes).size() == boxes.size());
}

TEST_CASE("segments are free, and directions open, as they are by each triangle alone", "[mesh_sight]") {
  for (const int count : {1, 5, 60, 600}) {
    const Mesh mesh = random_triangles(count, 0.5, static_cast<std::uint32_t>(count));
    std::mt19937 numbers(3);
    std::uniform_real_distribution<double> place(-4.0, 4.0);
    for (int i = 0; i < 12; ++i) {
      const Point from = {place(numbers), place(numbers), place(numbers)};
      int open = 0;
      for (int n = 0; n < 256; ++n) {
        const double z = 1.0 - (2.0 * n + 1.0) / 256.0, turn = 2.0 * std::numbers::pi * n / std::numbers::phi,
                     radius = std::sqrt(1.0 - z * z), far = 40.0;
        const Point to = {from[0] + far * radius * std::cos(turn), from[1] + far * radius * std::sin(turn),
                          from[2] + far * z};
        if (!crosses_any(mesh, from, to)) ++open;
      }
      CHECK(open_sky(mesh, from) == open / 256.0);
      const Point to = {place(numbers), place(numbers), place(numbers)};
      AxisBox box;
      for (std::size_t d = 0; d < 3; ++d) {
        box.low[d] = std::min(from[d], to[d]);
        box.high[d] = std::max(from[d], to[d]);
      }
      CHECK(free_between(mesh, triangles_near(mesh, {box})[0], from, to) == !crosses_any(mesh, from, to));
    }
  }
}
