// A scene to begin from, for the mesh of a room.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "scenes/mesh/mesh_diagnosis.hpp"

namespace fdtd {

struct StarterSurface {
  std::string name;        // in the mesh
  double area = 0.0;       // m2
  std::string entry;       // of the library
  bool suggested = false;  // by the name
};

struct StarterScene {
  std::string text;  // TOML
  std::vector<StarterSurface> surfaces;
  std::string units, up;     // of the mesh's numbers, as in [room]
  bool units_found = false;  // by the size of rooms: neither was it given, nor does the file state it
  std::string up_from;       // the evidence for the axis, "the directions of its surfaces"; empty: given or stated
  bool places = false;       // whether a source and a receiver are inside; at the middle otherwise
  MeshDiagnosis diagnosis;
};

// Unit and axis of the coordinates: a name as in [room], or empty: what the file states, else found.
struct StarterFrame {
  std::string units, up;
};

// `written`: the mesh as the scene names it, beside itself. Nothing, and `why` and `hint`, for a file that is no mesh,
// whose unit is not found, or whose size is not a room's. Names without a suggestion are plasterboard.
std::optional<StarterScene> starter_scene(const std::filesystem::path& file, const std::string& written,
                                          const StarterFrame& frame, std::string& why, std::string& hint);

}  // namespace fdtd
