#include "scenes/mesh/mesh.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace fdtd {

std::array<double, 3> area_vector(const Mesh& mesh, std::size_t triangle) {
  const auto& [a, b, c] = mesh.triangles[triangle];
  std::array<double, 3> u{}, v{};
  for (std::size_t d = 0; d < 3; ++d) {
    u[d] = mesh.vertices[b][d] - mesh.vertices[a][d];
    v[d] = mesh.vertices[c][d] - mesh.vertices[a][d];
  }
  return {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
}

std::vector<std::array<float, 3>> unit_normals(const Mesh& mesh) {
  std::vector<std::array<float, 3>> normals(mesh.triangles.size());
  for (std::size_t t = 0; t < normals.size(); ++t) {
    const auto v = area_vector(mesh, t);
    const double length = std::hypot(v[0], v[1], v[2]);
    for (std::size_t d = 0; d < 3; ++d) normals[t][d] = length > 0.0 ? static_cast<float>(v[d] / length) : 0.0F;
  }
  return normals;
}

void merge_vertices(Mesh& mesh) {
  // Vertices are numbered in the order of their first use by a triangle, whatever their order in the file.
  std::vector<std::uint32_t> order(mesh.vertices.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return mesh.vertices[a] != mesh.vertices[b] ? mesh.vertices[a] < mesh.vertices[b] : a < b;
  });
  std::vector<std::uint32_t> first(mesh.vertices.size());  // of the equal ones
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool again = i > 0 && mesh.vertices[order[i]] == mesh.vertices[order[i - 1]];
    first[order[i]] = again ? first[order[i - 1]] : order[i];
  }
  constexpr std::uint32_t unused = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> number(mesh.vertices.size(), unused);
  std::vector<std::array<double, 3>> kept;
  mesh.low.fill(std::numeric_limits<double>::infinity());
  mesh.high.fill(-std::numeric_limits<double>::infinity());
  for (auto& triangle : mesh.triangles) {
    for (std::uint32_t& corner : triangle) {
      std::uint32_t& known = number[first[corner]];
      if (known == unused) {
        known = static_cast<std::uint32_t>(kept.size());
        kept.push_back(mesh.vertices[first[corner]]);
        for (std::size_t d = 0; d < 3; ++d) {
          mesh.low[d] = std::min(mesh.low[d], kept.back()[d]);
          mesh.high[d] = std::max(mesh.high[d], kept.back()[d]);
        }
      }
      corner = known;
    }
  }
  mesh.vertices = std::move(kept);
}

void append(Mesh& mesh, const Mesh& part) {
  for (const auto member : {&Mesh::stated_units, &Mesh::stated_up}) {
    if (mesh.triangles.empty()) mesh.*member = part.*member;
    if (mesh.*member != part.*member) (mesh.*member).clear();
  }
  mesh.single_precision = part.single_precision || (mesh.single_precision && !mesh.triangles.empty());
  const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), part.vertices.begin(), part.vertices.end());
  std::vector<std::uint16_t> number;
  for (const std::string& name : part.materials) {
    const auto known = std::find(mesh.materials.begin(), mesh.materials.end(), name);
    number.push_back(static_cast<std::uint16_t>(known - mesh.materials.begin()));
    if (known == mesh.materials.end()) mesh.materials.push_back(name);
  }
  for (std::size_t t = 0; t < part.triangles.size(); ++t) {
    const auto& [a, b, c] = part.triangles[t];
    mesh.triangles.push_back({first + a, first + b, first + c});
    mesh.material.push_back(number[part.material[t]]);
  }
}

}  // namespace fdtd
