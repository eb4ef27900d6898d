// Reads a mesh: glTF, COLLADA and DXF by readers of our own, OBJ, STL and PLY with assimp, which no other file includes. assimp
// gets the validated text of mesh_bytes.hpp in memory and opens no file. Polygons are triangulated here, because
// assimp's own triangulation fills the notch of an L.
#include <fmt/format.h>

#include <assimp/scene.h>
#include <assimp/Importer.hpp>

#include <algorithm>
#include <map>

#include "scenes/memory_reserve.hpp"
#include "scenes/mesh.hpp"
#include "scenes/mesh_bytes.hpp"
#include "scenes/mesh_frame.hpp"
#include "scenes/mesh_groups.hpp"
#include "scenes/mesh_shape.hpp"
#include "scenes/problem.hpp"
#include "scenes/utf8.hpp"

namespace fdtd {
namespace {

constexpr std::size_t assimp_bytes_a_byte = 48;  // at most, for OBJ, which takes most

std::uint16_t material_number(const aiScene& scene, const aiMesh& part, Mesh& mesh) {
  std::string name;
  if (part.mMaterialIndex < scene.mNumMaterials)
    name = as_utf8(scene.mMaterials[part.mMaterialIndex]->GetName().C_Str());
  if (name.empty() || name == AI_DEFAULT_MATERIAL_NAME) name = "default";
  const auto known = std::find(mesh.materials.begin(), mesh.materials.end(), name);
  const auto number = static_cast<std::uint16_t>(known - mesh.materials.begin());
  if (known == mesh.materials.end()) mesh.materials.push_back(name);
  return number;
}

bool add_part(const aiScene& scene, const aiMesh& part, Mesh& mesh, std::string& why) {
  const std::size_t first = mesh.vertices.size();
  if (first + part.mNumVertices > 0xFFFFFFF0U) {
    refuse(why, "more vertices than can be counted");
    return false;
  }
  for (unsigned i = 0; i < part.mNumVertices; ++i) {
    const aiVector3D& v = part.mVertices[i];
    mesh.vertices.push_back({shortest_decimal(v.x), shortest_decimal(v.y), shortest_decimal(v.z)});
  }
  bool used = false;
  std::uint16_t material = 0;
  for (unsigned f = 0; f < part.mNumFaces; ++f) {
    const aiFace& face = part.mFaces[f];
    if (face.mNumIndices < 3) continue;  // points and lines
    std::vector<std::uint32_t> corners;
    for (unsigned i = 0; i < face.mNumIndices; ++i) {
      if (face.mIndices[i] >= part.mNumVertices) {
        refuse(why, "a facet refers to a vertex that does not exist");
        return false;
      }
      corners.push_back(static_cast<std::uint32_t>(first + face.mIndices[i]));
    }
    if (!used) material = material_number(scene, part, mesh);
    used = true;
    triangulate(mesh.vertices, corners, mesh.triangles);
    mesh.material.resize(mesh.triangles.size(), material);
  }
  return true;
}

std::string ending_of(const std::filesystem::path& file) {
  std::string ending = file.extension().string();
  for (char& c : ending) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return ending.empty() ? ending : ending.substr(1);
}

}  // namespace

namespace {

std::optional<Mesh> read_as(const std::filesystem::path& file, const MeshFrame& frame, bool by_groups,
                            std::string& why) {
  std::string format = ending_of(file);
  const bool own =  // without assimp: mesh_shape.hpp
      format == "gltf" || format == "glb" || format == "dae" || format == "dxf";
  if (!own && format != "obj" && format != "stl" && format != "ply")
    return refuse(why, fmt::format("ends in {}: meshes are read from .obj, .stl, .ply, .gltf, .glb, .dae and .dxf",
                                   in_quotes(format)));
  auto bytes = read_bytes(file, max_mesh_bytes, why);
  if (!bytes) return std::nullopt;
  if (own) {
    auto mesh = format == "dxf"   ? read_dxf(*bytes, why)
                : format == "dae" ? read_dae(*bytes, why)
                                  : read_gltf(*bytes, file, why);
    if (mesh) apply_frame(*mesh, frame);
    return mesh;
  }
  if (by_groups) *bytes = groups_as_materials(*bytes);
  const std::string named = format, stated = named == "obj" ? stated_units(*bytes) : "";
  auto reduced = named == "obj"   ? reduced_obj(*bytes, why)
                 : named == "stl" ? reduced_stl(*bytes, format, why)
                                  : reduced_ply(*bytes, why);
  bytes.reset();
  if (!reduced) return std::nullopt;

  const MemoryReserve reserve(assimp_bytes_a_byte * reduced->size() + (std::size_t{1} << 20));
  Assimp::Importer importer;
  const aiScene* scene = nullptr;
  try {
    scene = importer.ReadFileFromMemory(reduced->data(), reduced->size(), 0, format.c_str());
  } catch (const std::exception&) {
    scene = nullptr;
  }
  if (reserve.touched()) throw std::bad_alloc();
  if (scene == nullptr) return refuse(why, fmt::format("cannot be read: {}", importer.GetErrorString()));
  Mesh mesh;
  for (unsigned m = 0; m < scene->mNumMeshes; ++m) {
    if (!add_part(*scene, *scene->mMeshes[m], mesh, why)) return std::nullopt;
  }
  if (mesh.triangles.empty()) return refuse(why, "it has no facets");
  mesh.stated_units = stated;
  apply_frame(mesh, frame);
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
