// The text of a scene for tests: a small box by default. A test sets the members that matter to it.
#pragma once

#include <string>

namespace fdtd::test {

struct SceneText {
  std::string simulation = "duration = 0.01\nmax_frequency = 400.0\nstencil = \"leggy-2\"\n";
  std::string above = "method = \"none\"\n";  // keys of [above]: most tests judge waves
  std::string air;                            // keys of [air]; empty: the default air
  std::string box = "[1.3, 1.1, 0.9]";
  std::string room;  // keys of [room] in place of the box, for a mesh; walls are then optional
  std::string walls = "default = \"panel\"\n";
  std::string materials = "[materials.panel]\nbranches = [ { D = 1e-3, E = 0.8, F = 120.0 } ]\n";
  // Positions of S1, S2 and R1; an empty position leaves the source or receiver out. Keys: their further keys.
  std::string source = "[0.5, 0.6, 0.7]", source_keys, second_source;
  std::string receiver = "[0.7, 0.3, 0.4]", receiver_keys;
  std::string more;  // at the end: further receivers, [output]
};

std::string text_of(const SceneText& scene);

}  // namespace fdtd::test
