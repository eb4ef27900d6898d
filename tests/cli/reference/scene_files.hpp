// Scenes of the reference that need files beside them, written into a folder.
#pragma once

#include <fmt/format.h>
#include <algorithm>

#include <cmath>
#include <filesystem>
#include <numbers>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/math/directions.hpp"
#include "tests/cli/reference/reference_scenes.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/head_file.hpp"
#include "tests/support/meshes/mesh_files.hpp"
#include "tests/support/meshes/mesh_scene.hpp"
#include "tests/support/meshes/meshes.hpp"
#include "tests/support/program.hpp"
#include "tests/support/scene_text.hpp"
#include "tests/support/solutions/rigid_sphere.hpp"

namespace fdtd::test {

// Conditions of `fdtd plan`, whose own test meets them.
inline const std::set<std::string> conditions_of_plans = {"a GPU, or --gpu-memory",
                                                          "--gradient",
                                                          "there are several segments",
                                                          "the room is a mesh",
                                                          "the mesh is open",
                                                          "`count` is not 0",
                                                          "several ranks, or --gpu-memory",
                                                          "N slabs of this room are thick enough",
                                                          "something named limits it",
                                                          "geometry continues the responses",
                                                          "there is one",
                                                          "`room.seal` closes one",
                                                          "a receiver has such orders",
                                                          "a source is inside the ball",
                                                          "a source has measured directivity",
                                                          "a receiver moves",
                                                          "speech has a level"};  // `fdtd metrics --speech`

// Of `fdtd plan`: a gradient whose run is computed again in part.
inline const std::vector<std::string> with_gradient = {
    "small.toml",        "--set", "above.method=none", "--set", "simulation.duration=0.2", "--gradient",
    "--gradient-memory", "0.4MB"};

inline void write_pointed(const TemporaryFolder& folder) {
  folder.write("walk.csv", "t,x,y,z,yaw\n0,0.3,0.3,0.3,0\n1,0.9,0.8,0.6,90\n");
  folder.write("speaker.csv", "azimuth,elevation,500\n0,0,0\n90,0,-3\n180,0,-6\n-90,0,-3\n0,90,-3\n0,-90,-3\n");
  folder.write("pointed.toml", pointed);
}

inline void write_closet(const TemporaryFolder& folder) {
  Mesh mesh;
  add_box(mesh, {0, 0, 0}, {3, 2, 2}, {"w", "w", "w", "w", "w", "w"});
  add_quad(mesh, {{{1.3, 0, 0}, {1.3, 1.2, 0}, {1.3, 1.2, 2}, {1.3, 0, 2}}}, "w", unturned);
  add_quad(mesh, {{{2.1, 0.8, 0}, {2.1, 2, 0}, {2.1, 2, 2}, {2.1, 0.8, 2}}}, "w", unturned);
  folder.write("closet.obj", as_bare_obj(mesh));
  folder.write("closet.toml", closet_scene);
}

// The documents of `fdtd modes` and `fdtd place`, and commands that print them of modal.toml: places far from the seat, where
// reflections cancel.
inline std::vector<std::pair<std::string, std::vector<std::string>>> small_room_commands() {
  return {
      {"fdtd modes SCENE --json", {"modes", "modal.toml", "--from", "100", "--to", "170", "--points", "30", "--json"}},
      {"fdtd place SCENE --source NAME --json",
       {"place", "modal.toml", "--over", "0.2,0.7,0.2,0.4,0.9,0.7", "--from", "100", "--to", "170", "--source", "S1",
        "--json"}}};
}

// To where reflections cancel the direct sound, with files of its own.
inline std::vector<std::string> widened(std::vector<std::string> words) {
  std::ranges::replace(words, std::string("170"), std::string("300"));
  words.insert(words.end(), {"-o", "wide_" + words.front()});
  return words;
}

// Runs both with small_rooms/ for their files; returns those of HDF5. Of the pictures one is left, by its general name.
inline std::vector<const char*> run_small_rooms(const TemporaryFolder& folder) {
  for (auto [document, words] : small_room_commands()) {
    words.insert(words.end(), {"-o", "small_rooms"});
    REQUIRE(run_fdtd(words, folder.path()).status == 0);
  }
  std::filesystem::rename(folder / "small_rooms/mode_001.png", folder / "small_rooms/mode_NNN.png");
  for (const auto& file : std::filesystem::directory_iterator(folder / "small_rooms"))
    if (file.path().filename().string().starts_with("mode_0")) std::filesystem::remove(file.path());
  return {"modes.h5", "place.h5"};
}

inline void write_stage(const TemporaryFolder& folder) {
  folder.write("modal.toml", modal());
  write_head_file(folder / "head.sofa", rigid_sphere_head(spiral(40), 44100.0, 64, 20.0));
  folder.write("stage.toml", stage);
}

// The small room with a measured loudspeaker, louder to its front, and two microphones.
inline void write_measured(const TemporaryFolder& folder) {
  std::string table = "azimuth, elevation, 125, 250, 500\n";
  for (int azimuth = -180; azimuth < 180; azimuth += 30)
    for (int elevation = -60; elevation <= 60; elevation += 30) {
      const double level = 3.0 * std::cos(azimuth * std::numbers::pi / 180.0);
      table += fmt::format("{}, {}, {}, {}, {}\n", azimuth, elevation, 0.5 * level, level, level);
    }
  folder.write("speaker.csv", table);
  folder.write("device.csv", "x, y, z, weight\n0.05, 0, 0, 2\n-0.05, 0, 0, 1\n");
  std::string text = small;
  text.insert(text.find("[[receiver]]"), "directivity = \"speaker.csv\"\ndirection = [1, 0, 0]\norder = 1\n");
  folder.write("loudspeaker.toml", text + "array = \"device.csv\"\n");
}

}  // namespace fdtd::test
