// Rooms as exporters write them: corners of facets apart by rounding, slivers, edges divided on one side only.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/meshes/meshes.hpp"

namespace fdtd::test {

// A room of L shape: 8 x 6 m without the corner beyond (5, 4), `height` high.
inline Mesh ell_mesh(double height, const Turn& turn = unturned) {
  const std::vector<std::array<double, 2>> outline = {{0, 0}, {8, 0}, {8, 4}, {5, 4}, {5, 6}, {0, 6}};
  Mesh mesh;
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const auto& [x, y] = outline[i];
    const auto& [u, v] = outline[(i + 1) % outline.size()];
    add_quad(mesh, {Place{x, y, 0}, Place{u, v, 0}, Place{u, v, height}, Place{x, y, height}}, "wall", turn);
  }
  for (const double z : {0.0, height}) {
    const auto triangle = [&](std::size_t a, std::size_t b, std::size_t c) {
      const auto at = [&](std::size_t i) { return turn({outline[i][0], outline[i][1], z}); };
      add_triangle(mesh, z > 0.0 ? std::array{at(a), at(b), at(c)} : std::array{at(a), at(c), at(b)}, "floor");
    };
    triangle(0, 1, 3);
    triangle(1, 2, 3);
    triangle(0, 3, 5);
    triangle(3, 4, 5);
  }
  merge_vertices(mesh);
  return mesh;
}

// A round hall: floor and ceiling are fans, walls of `sides` quads.
inline Mesh cylinder_mesh(double radius, double height, int sides, const Turn& turn = unturned) {
  Mesh mesh;
  const double pi = std::acos(-1.0);
  const auto at = [&](int i, double z) {
    const double a = 2.0 * pi * (i % sides) / sides;
    return Place{radius * std::cos(a), radius * std::sin(a), z};
  };
  for (int i = 0; i < sides; ++i) {
    add_quad(mesh, {at(i, 0), at(i + 1, 0), at(i + 1, height), at(i, height)}, "wall", turn);
    add_triangle(mesh, {turn({0, 0, 0}), turn(at(i + 1, 0)), turn(at(i, 0))}, "floor");
    add_triangle(mesh, {turn({0, 0, height}), turn(at(i, height)), turn(at(i + 1, height))}, "ceiling");
  }
  merge_vertices(mesh);
  return mesh;
}

// Every triangle cut in four, `times` times.
inline Mesh refined(Mesh mesh, int times) {
  for (; times > 0; --times) {
    Mesh fine;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
      std::array<Place, 3> p, m;
      for (std::size_t i = 0; i < 3; ++i) p[i] = mesh.vertices[mesh.triangles[t][i]];
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t d = 0; d < 3; ++d) m[i][d] = (p[i][d] + p[(i + 1) % 3][d]) / 2.0;
      const std::string& name = mesh.materials[mesh.material[t]];
      add_triangle(fine, {p[0], m[0], m[2]}, name);
      add_triangle(fine, {p[1], m[1], m[0]}, name);
      add_triangle(fine, {p[2], m[2], m[1]}, name);
      add_triangle(fine, {m[0], m[1], m[2]}, name);
    }
    merge_vertices(fine);
    mesh = std::move(fine);
  }
  return mesh;
}

// Divides a fraction of the edges on one side only, at a point up to `off` (m) beside the edge. The triangle between
// the whole edge and its halves is a sliver, or is left out: a T-shaped joint.
inline Mesh with_divided_edges(const Mesh& mesh, double fraction, double off, bool slivers, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> chance(0.0, 1.0), aside(-off, off), along(0.1, 0.9);
  Mesh made = mesh;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    if (chance(random) >= fraction) continue;
    const auto [a, b, c] = mesh.triangles[t];
    const double at = along(random);
    Place p{};
    for (std::size_t d = 0; d < 3; ++d)
      p[d] = mesh.vertices[a][d] * (1.0 - at) + mesh.vertices[b][d] * at + aside(random);
    const auto middle = static_cast<std::uint32_t>(made.vertices.size());
    made.vertices.push_back(p);
    made.triangles[t] = {a, middle, c};
    made.triangles.push_back({middle, b, c});
    made.material.push_back(mesh.material[t]);
    if (!slivers) continue;
    made.triangles.push_back({a, b, middle});
    made.material.push_back(mesh.material[t]);
  }
  merge_vertices(made);
  return made;
}

// Every facet has corners of its own, moved by up to `amount` (m) along each axis.
inline Mesh apart(const Mesh& mesh, double amount, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> aside(-amount, amount);
  Mesh made;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    std::array<Place, 3> corners;
    for (std::size_t i = 0; i < 3; ++i) {
      corners[i] = mesh.vertices[mesh.triangles[t][i]];
      for (double& x : corners[i]) x += aside(random);
    }
    add_triangle(made, corners, mesh.materials[mesh.material[t]]);
  }
  merge_vertices(made);
  return made;
}

// Facets with corners of their own, half of them computed in single precision from another place.
inline Mesh in_single_precision(const Mesh& mesh, const Place& from) {
  Mesh made;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    std::array<Place, 3> corners;
    for (std::size_t i = 0; i < 3; ++i) {
      corners[i] = mesh.vertices[mesh.triangles[t][i]];
      for (std::size_t d = 0; d < 3; ++d) {
        float x = static_cast<float>(corners[i][d]);
        if (t % 2 == 1) x = static_cast<float>(corners[i][d] - from[d]) + static_cast<float>(from[d]);
        corners[i][d] = static_cast<double>(x);
      }
    }
    add_triangle(made, corners, mesh.materials[mesh.material[t]]);
  }
  merge_vertices(made);
  return made;
}

}  // namespace fdtd::test
