// Meshes with known areas and volumes.
#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "scenes/mesh/mesh.hpp"
#include "scenes/scene.hpp"

namespace fdtd::test {

using Place = std::array<double, 3>;
using Turn = std::function<Place(const Place&)>;

// About z, then about x, by degrees, then moved.
inline Turn turned(double about_z, double about_x, const Place& shift = {}) {
  const double a = about_z * std::acos(-1.0) / 180.0, b = about_x * std::acos(-1.0) / 180.0;
  return [=](const Place& p) {
    const double x = p[0] * std::cos(a) - p[1] * std::sin(a), y = p[0] * std::sin(a) + p[1] * std::cos(a);
    return Place{x + shift[0], y * std::cos(b) - p[2] * std::sin(b) + shift[1],
                 y * std::sin(b) + p[2] * std::cos(b) + shift[2]};
  };
}
inline Place unturned(const Place& p) { return p; }

inline std::uint16_t material_of(Mesh& mesh, const std::string& name) {
  for (std::size_t m = 0; m < mesh.materials.size(); ++m) {
    if (mesh.materials[m] == name) return static_cast<std::uint16_t>(m);
  }
  mesh.materials.push_back(name);
  return static_cast<std::uint16_t>(mesh.materials.size() - 1);
}

inline void add_triangle(Mesh& mesh, const std::array<Place, 3>& corners, const std::string& material) {
  const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), corners.begin(), corners.end());
  mesh.triangles.push_back({first, first + 1, first + 2});
  mesh.material.push_back(material_of(mesh, material));
}

inline void add_quad(Mesh& mesh, const std::array<Place, 4>& q, const std::string& material, const Turn& turn) {
  const Place a = turn(q[0]), b = turn(q[1]), c = turn(q[2]), d = turn(q[3]);
  add_triangle(mesh, {a, b, c}, material);
  add_triangle(mesh, {a, c, d}, material);
}

// Walls x_min, x_max, y_min, y_max, z_min, z_max of materials `names`; an empty name leaves the wall out.
inline void add_box(Mesh& mesh, const Place& low, const Place& high, const std::array<std::string, 6>& names,
                    const Turn& turn = unturned) {
  for (std::size_t side = 0; side < 6; ++side) {
    if (names[side].empty()) continue;
    const std::size_t d = side / 2, u = (d + 1) % 3, v = (d + 2) % 3;
    std::array<Place, 4> quad;
    for (std::size_t i = 0; i < 4; ++i) {
      quad[i][d] = side % 2 == 0 ? low[d] : high[d];
      quad[i][u] = i == 1 || i == 2 ? high[u] : low[u];
      quad[i][v] = i >= 2 ? high[v] : low[v];
    }
    add_quad(mesh, quad, names[side], turn);
  }
}

inline Mesh box_mesh(const Place& low, const Place& high, const Turn& turn = unturned) {
  Mesh mesh;
  add_box(mesh, low, high, {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"}, turn);
  merge_vertices(mesh);
  return mesh;
}

// A sphere of 2 n (n - 1) facets more or less, corners on it.
inline Mesh sphere_mesh(const Place& centre, double radius, int n) {
  Mesh mesh;
  const double pi = std::acos(-1.0);
  const auto at = [&](int i, int j) {
    const double polar = pi * i / n, turn = 2.0 * pi * j / (2 * n), across = radius * std::sin(polar);
    if (i == 0 || i == n) return Place{centre[0], centre[1], centre[2] + (i == 0 ? radius : -radius)};
    return Place{centre[0] + across * std::cos(turn), centre[1] + across * std::sin(turn),
                 centre[2] + radius * std::cos(polar)};
  };
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < 2 * n; ++j) {
      const int next = (j + 1) % (2 * n);
      if (i > 0) add_triangle(mesh, {at(i, j), at(i, next), at(i + 1, next)}, "sphere");
      if (i < n - 1) add_triangle(mesh, {at(i, j), at(i + 1, next), at(i + 1, j)}, "sphere");
    }
  }
  merge_vertices(mesh);
  return mesh;
}

// Exact for closed meshes whose facets are turned alike.
inline double volume_of(const Mesh& mesh) {
  double sum = 0.0;
  for (const auto& [a, b, c] : mesh.triangles) {
    const Place &p = mesh.vertices[a], &q = mesh.vertices[b], &r = mesh.vertices[c];
    sum += p[0] * (q[1] * r[2] - q[2] * r[1]) - p[1] * (q[0] * r[2] - q[2] * r[0]) + p[2] * (q[0] * r[1] - q[1] * r[0]);
  }
  return std::abs(sum) / 6.0;
}

inline double area_of(const Mesh& mesh) {
  double sum = 0.0;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto v = area_vector(mesh, t);
    sum += 0.5 * std::hypot(v[0], v[1], v[2]);
  }
  return sum;
}

}  // namespace fdtd::test
