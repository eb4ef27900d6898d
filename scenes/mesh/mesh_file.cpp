// Reads a mesh, by the ending of its name. All readers are our own (mesh_shape.hpp): coordinates keep double precision.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include "base/problem.hpp"
#include "scenes/mesh/mesh.hpp"
#include "scenes/mesh/mesh_bytes.hpp"
#include "scenes/mesh/mesh_frame.hpp"
#include "scenes/mesh/mesh_groups.hpp"
#include "scenes/mesh/mesh_shape.hpp"

namespace fdtd {
namespace {

std::string ending_of(const std::filesystem::path& file) {
  std::string ending = file.extension().string();
  for (char& c : ending) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return ending.empty() ? ending : ending.substr(1);
}

// Is every coordinate one of single precision, written with all its digits, with the fewest that identify it, or with
// nine, and does one use the last digits? Whole metres do not. Among numbers with more digits one in five passes by
// chance.
bool has_single_precision(const Mesh& mesh) {
  constexpr double nine_digits = 0.1;  // of the distance of neighbours
  bool used = false;                   // the last two bits
  for (const auto& vertex : mesh.vertices)
    for (const double x : vertex) {
      const auto nearest = static_cast<float>(x);
      used = used || (std::bit_cast<std::uint32_t>(nearest) & 3U) != 0;
      const double next = std::nextafter(nearest, std::numeric_limits<float>::infinity());
      if (std::abs(x - static_cast<double>(nearest)) <= nine_digits * (next - static_cast<double>(nearest))) continue;
      if (shortest_decimal(nearest) != x) return false;
    }
  return used;
}

}  // namespace

bool is_named_as_mesh(const std::filesystem::path& file) {
  static constexpr std::array<std::string_view, 7> endings = {"obj", "stl", "ply", "gltf", "glb", "dae", "dxf"};
  return std::ranges::find(endings, ending_of(file)) != endings.end();
}

namespace {

std::optional<Mesh> read_as(const std::filesystem::path& file, const MeshFrame& frame, bool by_groups,
                            std::string& why) {
  const std::string format = ending_of(file);
  if (!is_named_as_mesh(file))
    return refuse(why, fmt::format("ends in {}: meshes are read from .obj, .stl, .ply, .gltf, .glb, .dae and .dxf",
                                   in_quotes(format)));
  auto bytes = read_bytes(file, max_mesh_bytes, why);
  if (!bytes) return std::nullopt;
  if (by_groups) *bytes = groups_as_materials(*bytes);
  auto mesh = format == "obj"   ? read_obj(*bytes, why)
              : format == "stl" ? read_stl(*bytes, why)
              : format == "ply" ? read_ply(*bytes, why)
              : format == "dxf" ? read_dxf(*bytes, why)
              : format == "dae" ? read_dae(*bytes, why)
                                : read_gltf(*bytes, file, why);
  bytes.reset();
  if (!mesh) return std::nullopt;
  mesh->single_precision = has_single_precision(*mesh);
  apply_frame(*mesh, frame);
  return mesh;
}

}  // namespace

std::optional<Mesh> read_mesh(const std::filesystem::path& file, const MeshFrame& frame, std::string& why) {
  return read_as(file, frame, false, why);
}

std::optional<Mesh> read_mesh_by_groups(const std::filesystem::path& file, const MeshFrame& frame, std::string& why) {
  return read_as(file, frame, true, why);
}

}  // namespace fdtd
