#include "scenes/mesh/mesh_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/problem.hpp"
#include "base/utf8.hpp"
#include "scenes/mesh/mesh_bytes.hpp"

namespace fdtd {

Placement operator*(const Placement& outer, const Placement& inner) {
  Placement product{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 4; ++j) {
      product[i][j] = j == 3 ? outer[i][3] : 0.0;
      for (std::size_t k = 0; k < 3; ++k) product[i][j] += outer[i][k] * inner[k][j];
    }
  return product;
}

std::array<double, 3> placed(const Placement& placement, const std::array<double, 3>& point) {
  std::array<double, 3> p{};
  for (std::size_t i = 0; i < 3; ++i)
    p[i] = placement[i][0] * point[0] + placement[i][1] * point[1] + placement[i][2] * point[2] + placement[i][3];
  return p;
}

// Rodrigues' formula. Quarter turns are exact: a room that an exporter turned keeps its decimal numbers.
Placement turned(const std::array<double, 3>& axis, double radians) {
  const double length = std::hypot(axis[0], axis[1], axis[2]);
  double c = std::cos(radians), s = std::sin(radians);
  for (double* const one : {&c, &s})
    if (std::abs(*one - std::round(*one)) < 1e-15) *one = std::round(*one);
  Placement rotation = in_place;
  const std::array<double, 3> n = {axis[0] / length, axis[1] / length, axis[2] / length};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) rotation[i][j] = n[i] * n[j] * (1.0 - c) + (i == j ? c : 0.0);
    rotation[i][(i + 1) % 3] -= s * n[(i + 2) % 3];
    rotation[i][(i + 2) % 3] += s * n[(i + 1) % 3];
  }
  return rotation;
}

std::optional<std::uint16_t> MaterialNumbers::number_of(const std::string& name) {
  const auto& [known, fresh] =
      numbers_.try_emplace(name.empty() ? "default" : name, static_cast<std::uint16_t>(mesh_.materials.size()));
  if (!fresh) return known->second;
  if (mesh_.materials.size() == max_mesh_materials) return std::nullopt;
  mesh_.materials.push_back(known->first);
  return known->second;
}

std::uint16_t MeshBuilder::number_of(const std::string& written) {
  const std::string name = as_utf8(written);
  if (name.size() > max_material_name)
    throw MeshRefused{fmt::format("a material's name of more than {} bytes: {}", max_material_name, in_quotes(name))};
  if (std::any_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 32 || c == 127; }))
    throw MeshRefused{"a control character in a material's name: " + in_quotes(name)};
  const auto number = numbers_.number_of(name);
  if (!number) throw MeshRefused{fmt::format("more than {} materials", max_mesh_materials)};
  return *number;
}

void MeshBuilder::add(const MeshShape& shape, const Placement& placement, const std::string& material,
                      const std::string& what) {
  if (shape.triangles.empty()) return;
  if (mesh_.triangles.size() + shape.triangles.size() > max_mesh_facets)
    throw MeshRefused{fmt::format("{}: with it there are more than {} facets", what, max_mesh_facets)};
  const std::uint16_t number = number_of(material);
  const auto first = static_cast<std::uint32_t>(mesh_.vertices.size());
  for (const auto& vertex : shape.vertices) {
    mesh_.vertices.push_back(placed(placement, vertex));
    for (const double x : mesh_.vertices.back())
      if (!(std::abs(x) <= max_coordinate)) throw MeshRefused{fmt::format("{}: {} is not a coordinate", what, x)};
  }
  for (const auto& [a, b, c] : shape.triangles) mesh_.triangles.push_back({first + a, first + b, first + c});
  mesh_.material.resize(mesh_.triangles.size(), number);
}

void ObjectCount::one_more() {
  constexpr std::size_t most = 1'000'000;
  if (++count_ > most) throw MeshRefused{fmt::format("more than {} objects, or objects that contain themselves", most)};
}

}  // namespace fdtd
