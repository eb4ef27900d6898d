// A mesh room without a wall along the grid, for tests of several ranks and GPUs: a tall shaft with a block and a shelf
// in it, sources and receivers on all sides of the block.
#pragma once
#include <fmt/format.h>

#include <string>

#include "tests/support/meshes/mesh_files.hpp"
#include "tests/support/meshes/meshes.hpp"

namespace fdtd::test {

inline const Turn shaft_skew = turned(25.0, 14.0);

inline std::string shaft_place(const Place& at) {
  const Place p = shaft_skew(at);
  return fmt::format("[{}, {}, {}]", p[0], p[1], p[2]);
}

// A shaft turned about two axes, so that no wall runs along the grid; a block in its middle, and a shelf that is one
// sheet.
inline std::string shaft() {
  Mesh mesh;
  add_box(mesh, {0, 0, 0}, {1.7, 1.4, 4.1}, {"panel", "panel", "plaster", "panel", "plaster", "panel"}, shaft_skew);
  add_box(mesh, {0.5, 0.4, 1.6}, {1.1, 0.9, 2.7}, {"plaster", "plaster", "panel", "panel", "panel", "plaster"},
          shaft_skew);
  add_quad(mesh, {Place{0.0, 0.0, 1.2}, {0.9, 0.0, 1.2}, {0.9, 0.7, 1.2}, {0.0, 0.7, 1.2}}, "plaster", shaft_skew);
  return as_obj(mesh);
}

// Sources and receivers on all sides of the block, some on borders of slabs.
inline std::string shaft_scene(const std::string& stencil, const std::string& precision, double duration) {
  return fmt::format(R"(schema = 1
[simulation]
duration = {}
grid_spacing = 0.1
geometry_error = 10.0
stencil = "{}"
precision = "{}"
[room]
mesh = "shaft.obj"
[materials.plaster]
absorption = {{ bands = [125, 250, 500], alpha = [0.2, 0.1, 0.06] }}
[materials.panel]
branches = [ {{ D = 1e-3, E = 0.8, F = 120.0 }} ]
[[source]]
name = "S1"
position = {}
[[source]]
name = "S2"
position = {}
[[receiver]]
name = "low"
position = {}
[[receiver]]
name = "middle"
position = {}
[[receiver]]
name = "high"
position = {}
pattern = "ambisonic"
order = 1
)",
                     duration, stencil, precision, shaft_place({0.4, 1.1, 0.6}), shaft_place({1.3, 0.5, 2.1}),
                     shaft_place({1.2, 0.6, 0.5}), shaft_place({0.3, 1.1, 2.0}), shaft_place({0.9, 0.7, 3.4}));
}

}  // namespace fdtd::test
