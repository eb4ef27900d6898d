// The text of a scene of a small box: what tests of the program change of it is a member, the rest is as it always is.
#pragma once

#include <string>

namespace fdtd::test {

struct SceneText {
  std::string simulation = "duration = 0.01\nmax_frequency = 400.0\nstencil = \"leggy-2\"\n";
  std::string box = "[1.3, 1.1, 0.9]";
  std::string walls = "default = \"panel\"\n";
  std::string materials = "[materials.panel]\nbranches = [ { D = 1e-3, E = 0.8, F = 120.0 } ]\n";
  std::string source = "[0.5, 0.6, 0.7]", second_source;  // positions; empty: there is none
  std::string receiver = "[0.7, 0.3, 0.4]";
};

inline std::string text_of(const SceneText& scene) {
  const auto source = [](const char* name, const std::string& position) {
    return position.empty() ? "" : "[[source]]\nname = \"" + std::string(name) + "\"\nposition = " + position + "\n";
  };
  return "schema = 1\n[simulation]\n" + scene.simulation + "[room]\nbox = " + scene.box + "\n[room.walls]\n" +
         scene.walls + scene.materials + source("S1", scene.source) + source("S2", scene.second_source) +
         "[[receiver]]\nname = \"R1\"\nposition = " + scene.receiver + "\n";
}

}  // namespace fdtd::test
