// The readers of all formats, and objects that some of them (glTF, COLLADA, DXF) place several times in a mesh that
// refuses to grow beyond the limits of mesh_bytes.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/mesh/mesh.hpp"

namespace fdtd {

// A refusal on its way out of a reader.
struct MeshRefused {
  std::string why;
};

// Places an object: the rows of a matrix, and in their last column the translation.
using Placement = std::array<std::array<double, 4>, 3>;
inline constexpr Placement in_place = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
Placement operator*(const Placement& outer, const Placement& inner);  // the inner one first
std::array<double, 3> placed(const Placement& placement, const std::array<double, 3>& point);
Placement turned(const std::array<double, 3>& axis, double radians);  // about an axis of any length but 0

// A part of an object that has one material.
struct MeshShape {
  std::vector<std::array<double, 3>> vertices;
  std::vector<std::array<std::uint32_t, 3>> triangles;
};

// Numbers of materials by name, in the order of first use.
class MaterialNumbers {
 public:
  explicit MaterialNumbers(Mesh& mesh) : mesh_(mesh) {}
  MaterialNumbers(const MaterialNumbers&) = delete;
  MaterialNumbers& operator=(const MaterialNumbers&) = delete;
  // "default" for an empty name; nothing where there would be too many.
  std::optional<std::uint16_t> number_of(const std::string& name);

 private:
  Mesh& mesh_;
  std::map<std::string, std::uint16_t> numbers_;
};

class MeshBuilder {
 public:
  // Throws MeshRefused where the mesh would have too many facets or materials, or a vertex without meaning; `what` is
  // the object in messages.
  void add(const MeshShape& shape, const Placement& placement, const std::string& material, const std::string& what);
  Mesh& mesh() { return mesh_; }

 private:
  std::uint16_t number_of(const std::string& name);
  Mesh mesh_;
  MaterialNumbers numbers_{mesh_};
};

// Keeps how much work a file can ask for in proportion: throws MeshRefused past a million objects, one in another
// included.
class ObjectCount {
 public:
  void one_more();

 private:
  std::size_t count_ = 0;
};

// The readers; their meshes have the coordinates of the file in double precision, and the unit and the axis that it
// states. Vertices are as the file has them: unused, or several in one place.
std::optional<Mesh> read_obj(std::string_view bytes, std::string& why);
std::optional<Mesh> read_stl(std::string_view bytes, std::string& why);
std::optional<Mesh> read_ply(std::string_view bytes, std::string& why);
std::optional<Mesh> read_gltf(std::string_view bytes, const std::filesystem::path& file, std::string& why);
std::optional<Mesh> read_dxf(std::string_view bytes, std::string& why);
std::optional<Mesh> read_dae(std::string& bytes, std::string& why);  // `bytes` are used up

}  // namespace fdtd
