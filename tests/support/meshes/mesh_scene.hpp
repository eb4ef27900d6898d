// Scenes of a mesh that is written beside them, turned with their places.
#pragma once

#include <fmt/format.h>

#include <string>

#include "tests/support/files.hpp"
#include "tests/support/meshes/meshes.hpp"
#include "tests/support/scene_text.hpp"

namespace fdtd::test {

// As an OBJ file without names of materials.
inline std::string as_bare_obj(const Mesh& mesh) {
  std::string text;
  for (const auto& v : mesh.vertices) text += fmt::format("v {:.9g} {:.9g} {:.9g}\n", v[0], v[1], v[2]);
  for (const auto& [a, b, c] : mesh.triangles) text += fmt::format("f {} {} {}\n", a + 1, b + 1, c + 1);
  return text;
}

inline std::string in_brackets(const Place& p) { return fmt::format("[{}, {}, {}]", p[0], p[1], p[2]); }

// Writes the mesh to room.obj; all its walls are of "panel".
inline SceneText mesh_scene(const TemporaryFolder& folder, const Mesh& mesh, const Turn& turn, const Place& source,
                            const Place& receiver) {
  folder.write("room.obj", as_bare_obj(mesh));
  SceneText scene;
  scene.room = "mesh = \"room.obj\"\n[room.walls]\ndefault = \"panel\"\n";
  scene.walls = "";
  scene.source = in_brackets(turn(source));
  scene.receiver = in_brackets(turn(receiver));
  return scene;
}

}  // namespace fdtd::test
