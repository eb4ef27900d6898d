// A room's surface as triangles, in metres, z up. The orientation of the triangles has no meaning, and surfaces may
// have air on both sides.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fdtd {

struct Mesh {
  std::vector<std::array<double, 3>> vertices;          // m; all different: adjacent triangles share them
  std::vector<std::array<std::uint32_t, 3>> triangles;  // never empty
  std::vector<std::uint16_t> material;                  // of each triangle: index into `materials`
  std::vector<std::string> materials;                   // names in the file; "default" where it has none
  std::array<double, 3> low{}, high{};                  // m, the corners of the bounding box
  std::string stated_units;                             // that its file states (mesh_frame.hpp), or empty
  std::string stated_up;                                // of formats that define their up axis; else empty
  // The coordinates have no more digits than single precision: read_mesh finds out, and nobody else knows better.
  bool single_precision = true;
};

// Twice the triangle's area times its unit normal, m2.
std::array<double, 3> area_vector(const Mesh& mesh, std::size_t triangle);
// One for each triangle, in single precision; zero for a facet without an area.
std::vector<std::array<float, 3>> unit_normals(const Mesh& mesh);

// The unit and the orientation of the coordinates in a file. "auto" is settled by mesh_frame.hpp.
struct MeshFrame {
  std::string units = "m";  // mm, cm, m, in, ft
  std::string up = "z";     // x, y, z: the axis that points up; the mesh is rotated, never mirrored
};
inline const std::vector<std::string> mesh_units = {"m", "cm", "mm", "in", "ft", "auto"},
                                      mesh_axes = {"x", "y", "z", "auto"};

// Reads an OBJ, STL, PLY, glTF, GLB or DXF file, by the ending of its name. Nothing, and `why` (with the line in text files), for a
// file that is malformed, empty or too large, or that has coordinates that are not finite or vertices that do not
// exist. Never throws for the content of the file. The frame must not be "auto".
std::optional<Mesh> read_mesh(const std::filesystem::path& file, const MeshFrame& frame, std::string& why);

// Merges equal vertices, removes unused ones and computes the bounding box.
void merge_vertices(Mesh& mesh);

// Adds the triangles of `part`; materials with equal names are the same, and units and axes remain stated where all parts agree.
// Call merge_vertices(mesh) afterwards.
void append(Mesh& mesh, const Mesh& part);

// Triangulates a polygon, given by its corners in order, by ear clipping in the coordinate plane nearest to it (G. H.
// Meisters, Polygons have ears, American Mathematical Monthly 82, 1975). The result for a polygon that is not simple is
// some set of triangles between its corners.
void triangulate(const std::vector<std::array<double, 3>>& vertices, std::vector<std::uint32_t> corners,
                 std::vector<std::array<std::uint32_t, 3>>& triangles);

}  // namespace fdtd
