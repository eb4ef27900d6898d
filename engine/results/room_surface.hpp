// The surface of the room as stored in a result, for drawing: triangles with their materials, also for a box.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/files/h5.hpp"
#include "engine/files/sealed_file.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

struct RoomSurface {
  std::vector<std::array<double, 3>> vertices;          // m, in the scene
  std::vector<std::array<std::uint32_t, 3>> triangles;  // of vertices
  std::vector<std::uint32_t> material;                  // one per triangle, index into `materials`
  std::vector<std::string> materials;                   // the scene's names, each once
  bool operator==(const RoomSurface&) const = default;
};

RoomSurface surface_of(const Room& room);

// As the group /room of a result (result.hpp). Reading throws Error (status file) for inconsistent data: indices
// beyond their lists, coordinates that are not finite; a result without the group has a surface without triangles.
void write_surface(H5File& file, const RoomSurface& surface);
RoomSurface read_surface(const SealedFile& file, const std::filesystem::path& path);

}  // namespace fdtd
