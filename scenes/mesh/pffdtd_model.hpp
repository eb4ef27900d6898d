// A room as PFFDTD's plug-in for SketchUp writes it (model_export.json): triangles by material, sources, receivers. An
// object with
//   mats_hash: for each name of a material an object with pts ([x, y, z], m, z up), tris ([i, j, k], numbers of pts from
//     0), color ([r, g, b], 0 to 255) and sides (for each triangle which side absorbs: 1 back, 2 front, 3 both, 0 none);
//     the name _RIGID is that of triangles without a material;
//   sources, receivers: lists of objects with xyz and name, which may be empty.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/mesh/mesh.hpp"

namespace fdtd {

struct PffdtdModel {
  struct Point {
    std::string name;
    std::array<double, 3> position{};  // m
  };
  Mesh mesh;                                // materials by name, coordinates as written
  std::vector<std::array<int, 3>> colours;  // of each material of the mesh, 0 to 255
  std::size_t one_sided = 0;                // triangles of which the other side is rigid
  std::vector<Point> sources, receivers;
};

// Nothing, and `why` with the place, for a text that is no such model. Never throws for what the text holds. Memory:
// about twenty times the text, for nested lists up to eighty.
std::optional<PffdtdModel> read_pffdtd_model(std::string_view text, std::string& why);

inline constexpr std::size_t max_model_bytes = std::size_t{256} << 20;

}  // namespace fdtd
