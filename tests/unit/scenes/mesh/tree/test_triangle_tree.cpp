#include "scenes/mesh/tree/triangle_tree.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <random>
#include <vector>

#include "tests/support/catch.hpp"

namespace fdtd {
namespace {

struct Triangles {
  std::vector<Point> vertices;
  std::vector<std::array<std::uint32_t, 3>> triangles;
  std::vector<std::uint32_t> facets() const {
    std::vector<std::uint32_t> own(triangles.size());
    for (std::uint32_t t = 0; t < own.size(); ++t) own[t] = t;
    return own;
  }
  TriangleTree tree() const { return {vertices, triangles, facets()}; }
};

// A closed surface about `centre` with dents, no two of its triangles in one plane.
Triangles boulder(std::uint32_t around, const Point& centre) {
  Triangles mesh;
  const std::uint32_t rows = around / 2;
  const auto radius = [](double polar, double turn) {
    return 2.0 + 0.4 * std::sin(5.0 * polar) * std::cos(7.0 * turn);
  };
  for (std::uint32_t i = 0; i <= rows; ++i) {
    for (std::uint32_t j = 0; j < (i == 0 || i == rows ? 1 : around); ++j) {
      const double polar = std::numbers::pi * i / rows, turn = 2.0 * std::numbers::pi * j / around,
                   r = radius(polar, turn);
      mesh.vertices.push_back({centre[0] + r * std::sin(polar) * std::cos(turn),
                               centre[1] + r * std::sin(polar) * std::sin(turn), centre[2] + r * std::cos(polar)});
    }
  }
  const auto vertex = [&](std::uint32_t i, std::uint32_t j) {
    return i == 0 ? 0U : (i == rows ? 1 + (rows - 1) * around : 1 + (i - 1) * around + j % around);
  };
  for (std::uint32_t i = 0; i < rows; ++i) {
    for (std::uint32_t j = 0; j < around; ++j) {
      if (i + 1 < rows) mesh.triangles.push_back({vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1)});
      if (i > 0) mesh.triangles.push_back({vertex(i, j), vertex(i + 1, j + 1), vertex(i, j + 1)});
    }
  }
  return mesh;
}

Point direction_of(std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const double z = uniform(random), turn = std::numbers::pi * uniform(random), r = std::sqrt(1.0 - z * z);
  return {r * std::cos(turn), r * std::sin(turn), z};
}

Point towards(const Point& from, const Point& to) {
  Point way;
  double square = 0.0;
  for (std::size_t d = 0; d < 3; ++d) square += (way[d] = to[d] - from[d]) * way[d];
  for (double& w : way) w /= std::sqrt(square);
  return way;
}

// Distance to the triangle by Cramer's rule, in extended precision; negative or infinite: none.
long double distance_to(const Triangles& mesh, std::size_t t, const Point& from, const Point& direction) {
  using Long = std::array<long double, 3>;
  const auto at = [&](std::size_t c) {
    const Point& p = mesh.vertices[mesh.triangles[t][c]];
    return Long{p[0], p[1], p[2]};
  };
  const Long a = at(0), b = at(1), c = at(2);
  Long u, v, s;
  for (std::size_t d = 0; d < 3; ++d) {
    u[d] = b[d] - a[d];
    v[d] = c[d] - a[d];
    s[d] = from[d] - a[d];
  }
  const auto determinant = [](const Long& x, const Long& y, const Long& z) {
    return x[0] * (y[1] * z[2] - y[2] * z[1]) - x[1] * (y[0] * z[2] - y[2] * z[0]) + x[2] * (y[0] * z[1] - y[1] * z[0]);
  };
  const Long back = {-direction[0], -direction[1], -direction[2]};
  const long double whole = determinant(back, u, v), at_u = determinant(back, s, v) / whole,
                    at_v = determinant(back, u, s) / whole;
  if (!(at_u >= 0.0L && at_v >= 0.0L && at_u + at_v <= 1.0L)) return std::numeric_limits<long double>::infinity();
  return determinant(s, u, v) / whole;
}

}  // namespace

TEST_CASE("no ray of a million leaves a closed mesh, at its edges and corners neither") {
  const Triangles mesh = boulder(60, {7.3, -2.1, 0.4});
  const TriangleTree tree = mesh.tree();
  std::mt19937_64 random(1);
  int lost = 0;
  for (std::uint32_t i = 0; i < 1000000; ++i) {
    const Point from = {7.3 + 1e-3 * (i % 101), -2.1 + 2e-3 * (i % 37), 0.4 - 1e-3 * (i % 53)};
    Point way = direction_of(random);
    const auto& triangle = mesh.triangles[i / 4 % mesh.triangles.size()];
    const Point &a = mesh.vertices[triangle[0]], &b = mesh.vertices[triangle[1]];
    if (i % 4 == 1) way = towards(from, a);
    if (i % 4 == 2) way = towards(from, {0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0.5 * (a[2] + b[2])});
    if (i % 4 == 3) way = towards(from, {0.9 * a[0] + 0.1 * b[0], 0.9 * a[1] + 0.1 * b[1], 0.9 * a[2] + 0.1 * b[2]});
    if (!tree.hit(from, way, no_facet, 100.0)) ++lost;
  }
  CHECK(lost == 0);
}

TEST_CASE("rays that start on triangles stay in a closed mesh") {
  const Triangles mesh = boulder(40, {});
  const TriangleTree tree = mesh.tree();
  std::mt19937_64 random(2);
  int lost = 0;
  for (int ray = 0; ray < 1000; ++ray) {
    Point from{}, way = direction_of(random);
    std::uint32_t skip = no_facet;
    for (int reflection = 0; reflection < 100; ++reflection) {
      const auto hit = tree.hit(from, way, skip, 100.0);
      if (!hit) {
        ++lost;
        break;
      }
      for (std::size_t d = 0; d < 3; ++d) from[d] += hit->distance * way[d];
      skip = hit->triangle;
      // Onwards to a random point near the centre, as scattered sound goes.
      const Point aim = direction_of(random);
      way = towards(from, {0.5 * aim[0], 0.5 * aim[1], 0.5 * aim[2]});
    }
  }
  CHECK(lost == 0);
}

TEST_CASE("the tree has the nearest of all triangles") {
  // Far from the origin too, and outside of the mesh, along axes and in their planes.
  for (const Point& centre : {Point{}, Point{5e5, -4e6, 120.0}}) {
    const Triangles mesh = boulder(24, centre);
    const TriangleTree tree = mesh.tree();
    std::mt19937_64 random(3);
    int differ = 0, met = 0;
    for (int i = 0; i < 3000; ++i) {
      const Point aside = direction_of(random);
      const double far = i % 2 == 0 ? 0.5 : 9.0;
      const Point from = {centre[0] + far * aside[0], centre[1] + far * aside[1], centre[2] + far * aside[2]};
      Point way = i % 2 == 0 ? direction_of(random) : towards(from, centre);
      if (i % 10 == 0) way = {0.0, i % 20 == 0 ? 1.0 : -1.0, 0.0};
      if (i % 10 == 2) way = {std::sqrt(0.5), -std::sqrt(0.5), 0.0};
      const auto skip = static_cast<std::uint32_t>(i) % static_cast<std::uint32_t>(mesh.triangles.size());
      long double nearest = std::numeric_limits<long double>::infinity();
      for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        const long double at = distance_to(mesh, t, from, way);
        if (t != skip && at > 0.0L && at < nearest) nearest = at;
      }
      const auto hit = tree.hit(from, way, skip, 1e3);
      if (hit) ++met;
      if (hit.has_value() != std::isfinite(nearest))
        ++differ;
      else if (hit && std::abs(hit->distance - static_cast<double>(nearest)) >
                          2e-9 * far * std::max(1.0, std::abs(centre[1]) / 4.0))
        ++differ;
    }
    CHECK(differ == 0);
    CHECK(met > 2500);
  }
}

TEST_CASE("every instruction set has the same hits, bit for bit") {
  const Triangles mesh = boulder(60, {3.1, -0.7, 12.0});
  std::vector<TriangleTree> trees;
  for (const RaySearch& search : ray_searches())
    if (search.runs_here())
      trees.emplace_back(mesh.vertices, mesh.triangles, mesh.facets(), std::vector<std::uint32_t>{}, search);
  REQUIRE_FALSE(trees.empty());
  std::mt19937_64 random(4);
  int differ = 0;
  for (std::uint32_t i = 0; i < 50000; ++i) {
    const Point aside = direction_of(random);
    const double far = i % 3 == 0 ? 4.0 : 1.0;
    const Point from = {3.1 + far * aside[0], -0.7 + far * aside[1], 12.0 + far * aside[2]};
    const Point& corner = mesh.vertices[i % mesh.vertices.size()];
    const Point way = i % 2 == 0 ? direction_of(random) : towards(from, corner);
    const auto first = trees.front().hit(from, way, no_facet, 100.0);
    for (const TriangleTree& tree : trees) {
      const auto hit = tree.hit(from, way, no_facet, 100.0);
      const bool same = hit.has_value() == first.has_value() &&
                        (!hit || (hit->triangle == first->triangle && hit->distance == first->distance));
      if (!same || tree.blocked(from, way, no_facet, 100.0) != first.has_value()) ++differ;
    }
  }
  CHECK(differ == 0);
}

TEST_CASE("a ray that runs along the sides of boxes meets what one triangle alone would have") {
  // Roofs whose ridges and eaves lie on whole numbers, where no coordinate is rounded.
  Triangles mesh;
  for (int i = -8; i < 8; ++i)
    for (int j = -8; j < 8; ++j) {
      const double x = i, y = j, z = (i + j) % 3;
      const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
      mesh.vertices.insert(mesh.vertices.end(), {{x, y, z}, {x + 1, y, z - 1.0}, {x, y + 1, z}, {x - 1, y, z - 1.0}});
      mesh.triangles.push_back({first, first + 1, first + 2});
      mesh.triangles.push_back({first, first + 2, first + 3});
    }
  const TriangleTree tree = mesh.tree();
  int differ = 0, met = 0;
  for (int i = -16; i <= 16; ++i)
    for (int j = -6; j <= 6; ++j)
      for (std::size_t d = 0; d < 3; ++d)
        for (const double sign : {-1.0, 1.0}) {
          Point from{}, way{};
          from[d] = -20.0 * sign;
          from[(d + 1) % 3] = 0.5 * i;
          from[(d + 2) % 3] = 0.5 * j;
          way[d] = sign;
          std::optional<RayHit> nearest;
          for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
            const TriangleTree one({mesh.vertices.begin() + 4 * (t / 2), mesh.vertices.begin() + 4 * (t / 2) + 4},
                                   {{0, t % 2 + 1, t % 2 + 2}}, {0});
            const auto hit = one.hit(from, way, no_facet, 100.0);
            if (hit && (!nearest || hit->distance < nearest->distance)) nearest = RayHit{t, hit->distance};
          }
          const auto hit = tree.hit(from, way, no_facet, 100.0);
          if (nearest) ++met;
          if (hit.has_value() != nearest.has_value() ||
              (hit && (hit->triangle != nearest->triangle || hit->distance != nearest->distance)))
            ++differ;
        }
  CHECK(differ == 0);
  CHECK(met > 500);
}

TEST_CASE("a ray skips the plane it starts on, and hits count before the farthest distance") {
  // Two sheets in one plane, of two facets, and one half a metre beyond.
  Triangles mesh;
  for (const double z : {1.0, 1.0, 1.5}) {
    const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
    mesh.vertices.insert(mesh.vertices.end(), {{-1.0, -1.0, z}, {3.0, -1.0, z}, {-1.0, 3.0, z}});
    mesh.triangles.push_back({first, first + 1, first + 2});
  }
  const TriangleTree apart = mesh.tree(), together(mesh.vertices, mesh.triangles, mesh.facets(), {0, 0, 2});
  const Point up = {0.0, 0.0, 1.0};
  REQUIRE(apart.hit({}, up, no_facet, 9.0));
  CHECK(apart.hit({}, up, no_facet, 9.0)->triangle == 0);  // of two at one distance
  CHECK(apart.hit({}, up, 0, 9.0)->triangle == 1);
  CHECK(together.hit({}, up, 1, 9.0)->triangle == 2);
  CHECK(together.hit({}, up, 1, 9.0)->distance == 1.5);
  CHECK_FALSE(together.hit({}, up, 1, 1.5));
  CHECK_FALSE(apart.hit({}, {0.0, 0.0, -1.0}, no_facet, 9.0));
  CHECK_FALSE(apart.hit({}, {1.0, 0.0, 0.0}, no_facet, 9.0));
  CHECK_FALSE(apart.free_between({}, {0.0, 0.0, 1.2}, no_facet, no_facet));
  CHECK_FALSE(apart.free_between({}, {0.0, 0.0, 1.2}, 0, no_facet));
  CHECK(apart.free_between({}, {0.0, 0.0, 1.2}, 0, 1));
  CHECK(apart.free_between({}, {0.0, 0.0, 0.9}, no_facet, no_facet));
  CHECK(together.free_between({}, {0.0, 0.0, 1.2}, 1, no_facet));
  CHECK(TriangleTree().free_between({}, up, no_facet, no_facet));
  const TriangleTree none(mesh.vertices, mesh.triangles, {no_facet, no_facet, no_facet});
  CHECK_FALSE(none.hit({}, up, no_facet, 9.0));
}

}  // namespace fdtd
