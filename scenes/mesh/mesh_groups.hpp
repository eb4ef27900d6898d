// The groups of an OBJ text (lines "g NAME", else "o NAME") as its materials, for texts that name no material at all.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/mesh/mesh.hpp"

namespace fdtd {

// Of facets, in the text's order, each once; none where the text names a material (usemtl).
std::vector<std::string> obj_groups(std::string_view bytes);
// The same of a file; none for a file that is no OBJ or cannot be read.
std::vector<std::string> groups_of(const std::filesystem::path& file);

// The text with the groups as materials.
std::string groups_as_materials(std::string_view bytes);

// As read_mesh, of an OBJ file with the groups as materials.
std::optional<Mesh> read_mesh_by_groups(const std::filesystem::path& file, const MeshFrame& frame, std::string& why);

}  // namespace fdtd
