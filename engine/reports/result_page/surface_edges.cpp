#include "engine/reports/result_page/surface_edges.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace fdtd {
namespace {

constexpr double flat = 0.97;  // cosine between normals: edges between flatter neighbours are not drawn

using Vector = std::array<double, 3>;

Vector normal_of(const RoomSurface& surface, std::size_t triangle) {
  const auto& [a, b, c] = surface.triangles[triangle];
  Vector u{}, v{};
  for (std::size_t d = 0; d < 3; ++d) {
    u[d] = surface.vertices[b][d] - surface.vertices[a][d];
    v[d] = surface.vertices[c][d] - surface.vertices[a][d];
  }
  return {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
}

double scalar_product(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

}  // namespace

std::vector<std::array<double, 3>> facet_normals(const RoomSurface& surface) {
  std::vector<Vector> normals;
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) normals.push_back(normal_of(surface, t));
  return normals;
}

std::vector<SurfaceEdge> surface_edges(const RoomSurface& surface, std::size_t most) {
  const std::vector<Vector> normals = facet_normals(surface);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::size_t>> beside;
  for (std::size_t t = 0; t < surface.triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = surface.triangles[t][k], b = surface.triangles[t][(k + 1) % 3];
      beside[{std::min(a, b), std::max(a, b)}].push_back(t);
    }
  std::vector<SurfaceEdge> edges;
  for (const auto& [ends, triangles] : beside) {
    const std::size_t first = triangles.front();
    bool turns = triangles.size() != 2, mixed = false;
    for (const std::size_t t : triangles) {
      const double size =
          std::sqrt(scalar_product(normals[t], normals[t]) * scalar_product(normals[first], normals[first]));
      turns = turns || std::abs(scalar_product(normals[t], normals[first])) < flat * size;
      mixed = mixed || surface.material[t] != surface.material[first];
    }
    if (!turns && !mixed) continue;
    Vector along{};
    for (std::size_t d = 0; d < 3; ++d) along[d] = surface.vertices[ends.first][d] - surface.vertices[ends.second][d];
    edges.push_back({ends.first, ends.second, mixed ? -1 : static_cast<int>(surface.material[first]),
                     std::sqrt(scalar_product(along, along))});
  }
  if (edges.size() > most) {
    std::stable_sort(edges.begin(), edges.end(),
                     [](const SurfaceEdge& a, const SurfaceEdge& b) { return a.length > b.length; });
    edges.resize(most);
  }
  return edges;
}

}  // namespace fdtd
