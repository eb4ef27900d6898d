#include "engine/results/room_surface.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "scenes/mesh/mesh.hpp"

namespace fdtd {
namespace {

// Two triangles per wall; corner i of a box has bit d of i set where coordinate d is the high one.
RoomSurface surface_of_box(const Room& room) {
  RoomSurface surface;
  Distinct materials = room.materials();
  for (unsigned corner = 0; corner < 8; ++corner) {
    auto& vertex = surface.vertices.emplace_back();
    for (std::size_t d = 0; d < 3; ++d) vertex[d] = (corner >> d & 1U) != 0 ? room.box[d] : 0.0;
  }
  for (std::size_t side = 0; side < 6; ++side) {
    const std::uint32_t d = static_cast<std::uint32_t>(side) / 2, u = 1U << (d + 1) % 3, v = 1U << (d + 2) % 3;
    const std::uint32_t first = side % 2 == 1 ? 1U << d : 0U;
    surface.triangles.push_back({first, first + u, first + u + v});
    surface.triangles.push_back({first, first + u + v, first + v});
    surface.material.insert(surface.material.end(), 2, materials.numbers[side]);
  }
  surface.materials = std::move(materials.names);
  return surface;
}

}  // namespace

RoomSurface surface_of(const Room& room) {
  if (!room.mesh) return surface_of_box(room);
  RoomSurface surface;
  surface.vertices = room.mesh->vertices;
  surface.triangles = room.mesh->triangles;
  Distinct materials = room.materials();
  surface.materials = std::move(materials.names);
  for (const std::uint16_t material : room.mesh->material) surface.material.push_back(materials.numbers.at(material));
  return surface;
}

void write_surface(H5File& file, const RoomSurface& surface) {
  if (surface.triangles.empty()) return;
  std::vector<double> vertices;
  for (const auto& vertex : surface.vertices) vertices.insert(vertices.end(), vertex.begin(), vertex.end());
  std::vector<std::int64_t> triangles;
  for (const auto& triangle : surface.triangles) triangles.insert(triangles.end(), triangle.begin(), triangle.end());
  file.group("/room");
  file.set("/room", "materials", surface.materials);
  file.write<double>("/room/vertices", vertices);
  file.write<std::int64_t>("/room/triangles", triangles);
  file.write<std::int64_t>("/room/material",
                           std::vector<std::int64_t>(surface.material.begin(), surface.material.end()));
}

RoomSurface read_surface(const SealedFile& file, const std::filesystem::path& path) {
  RoomSurface surface;
  if (!file.exists("/room")) return surface;
  surface.materials = file.texts("/room", "materials");
  const auto vertices = file.read<double>("/room/vertices");
  const auto triangles = file.read<std::int64_t>("/room/triangles");
  const auto material = file.read<std::int64_t>("/room/material");
  const auto below = [](const std::vector<std::int64_t>& values, std::size_t end) {
    return std::all_of(values.begin(), values.end(),
                       [&](std::int64_t x) { return x >= 0 && x < static_cast<std::int64_t>(end); });
  };
  if (vertices.size() % 3 != 0 || triangles.size() != 3 * material.size() || !below(triangles, vertices.size() / 3) ||
      !below(material, surface.materials.size()) ||
      !std::all_of(vertices.begin(), vertices.end(), [](double x) { return std::isfinite(x); }))
    throw Error(Status::file, fmt::format("{}: /room is not a surface", path.string()),
                "the file is damaged, or another program wrote it");
  for (std::size_t i = 0; i < vertices.size(); i += 3)
    surface.vertices.push_back({vertices[i], vertices[i + 1], vertices[i + 2]});
  for (std::size_t i = 0; i < triangles.size(); i += 3)
    surface.triangles.push_back({static_cast<std::uint32_t>(triangles[i]), static_cast<std::uint32_t>(triangles[i + 1]),
                                 static_cast<std::uint32_t>(triangles[i + 2])});
  for (const auto one : material) surface.material.push_back(static_cast<std::uint32_t>(one));
  return surface;
}

}  // namespace fdtd
