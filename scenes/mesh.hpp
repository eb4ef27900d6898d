// A room's surface as triangles, in metres, z up. Which side is inside is never asked of them: facets may be turned
// either way, and thin surfaces have air on both sides.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fdtd {

struct Mesh {
  std::vector<std::array<double, 3>> vertices;          // m; no two alike: facets that touch share them
  std::vector<std::array<std::uint32_t, 3>> triangles;  // never empty
  std::vector<std::uint16_t> material;                  // one a triangle, of `materials`
  std::vector<std::string> materials;                   // as the file names them; "default" where it names none
  std::array<double, 3> low{}, high{};                  // m, the corners of the bounding box
};

// Twice the triangle's area times its unit normal, m2.
std::array<double, 3> area_vector(const Mesh& mesh, std::size_t triangle);

// How a file's numbers become metres with z up.
struct MeshFrame {
  std::string units = "m";  // mm, cm, m, in, ft
  std::string up = "z";     // x, y, z: the file's axis that points up; axes are turned, never mirrored
};
inline const std::vector<std::string> mesh_units = {"m", "cm", "mm", "in", "ft"}, mesh_axes = {"x", "y", "z"};

// Reads an OBJ, STL or PLY file, as its name's ending says. Nothing, and why, for a file that is none, is broken (the
// line is named where there are lines), is empty, holds numbers that are not finite or indices of vertices that are not
// there, or is larger than a mesh may be. Never throws for what the file holds.
std::optional<Mesh> read_mesh(const std::filesystem::path& file, const MeshFrame& frame, std::string& why);

// The vertices and triangles of `mesh` made fit: equal vertices become one, unused ones go, the bounding box is taken.
void tidy(Mesh& mesh);

// Adds the facets of `part`; its materials of the same names are the same. `mesh` is to be made tidy afterwards.
void append(Mesh& mesh, const Mesh& part);

// Cuts a polygon, its corners given in turn, into triangles: ears first (G. H. Meisters, Polygons have ears, American
// Mathematical Monthly 82, 1975), in the plane it is nearest to. One that is no simple polygon is cut somehow.
void cut_polygon(const std::vector<std::array<double, 3>>& vertices, std::vector<std::uint32_t> corners,
                 std::vector<std::array<std::uint32_t, 3>>& triangles);

}  // namespace fdtd
