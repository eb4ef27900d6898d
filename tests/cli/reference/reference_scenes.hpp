// Scenes whose plans, runs and files together have every field and object that the reference manual describes.
#pragma once

#include <string>
#include <vector>

namespace fdtd::test {

// Its receivers have every figure of a run: one with a figure-of-eight 1 m from the source, a head, others on a line.
inline const std::string stage = R"(schema = 1
simulation = { duration = 0.4, max_frequency = 600.0, stencil = "leggy-4" }
above = { method = "rays", rays = 4000 }
room = { box = [9.0, 3.0, 2.5], walls = { default = "w" } }
materials.w = { admittance = 0.05 }
[[source]]
name = "S1"
position = [1.2, 1.5, 1.4]
[[receiver]]
name = "R1"
position = [2.1, 1.9, 1.5]
pattern = "ambisonic"
order = 1
[[receiver]]
name = "R2"
position = [4.1, 1.9, 1.5]
pattern = "binaural"
order = 1
hrtf = "head.sofa"
direction = [-1, 0, 0]
rotations = [0, 20]
[[receiver]]
name = "L"
line = { from = [3.4, 1.5, 1.2], to = [8.2, 1.4, 1.2], count = 4 }
)";

// One material, to be fitted.
inline const std::string panel = R"(schema = 1
simulation = { duration = 0.8, max_frequency = 178.0 }
above.method = "none"
room = { box = [3.3, 2.6, 2.2], walls = { default = "panel" } }
materials.panel = { absorption = { bands = [125, 250], alpha = [0.2, 0.2] } }
[[source]]
name = "S1"
position = [0.5, 0.6, 0.7]
[[receiver]]
name = "R1"
position = [2.7, 1.8, 1.4]
)";

// On this grid waves of the stencil's second branch ring on.
inline const std::string tones = R"(schema = 1
[simulation]
duration = 0.5
max_frequency = 700
stencil = "box-222/opt2"
dispersion_error = 0.02
precision = "f64"
[room]
box = [2.05, 1.65, 1.35]
[room.walls]
default = "w"
[materials.w]
admittance = 0.1
[[source]]
name = "S1"
position = [0.35, 0.45, 0.55]
[[receiver]]
name = "R1"
position = [1.55, 1.1, 0.75]
)";

inline const std::string small = R"(schema = 1
[simulation]
duration = 0.02
max_frequency = 400.0
stencil = "leggy-2"
[room]
box = [1.3, 1.1, 0.9]
walls = { default = "panel", z_min = "carpet" }
[materials.panel]
branches = [ { D = 1e-3, E = 0.8, F = 120.0 } ]
[materials.carpet]
library = "carpet-heavy"
[[source]]
name = "S1"
position = [0.5, 0.6, 0.7]
[[receiver]]
name = "R1"
position = [0.7, 0.3, 0.4]
)";

// The same with walls between which modes ring.
inline std::string modal() {
  std::string text = small;
  const std::size_t at = text.find("branches");
  return text.replace(at, text.find('\n', at) - at, "admittance = 0.02");
}

// All that a scene may ask for: two sources, one with a signal, patterns, air absorption, raw records, snapshots.
inline const std::string rich = R"(schema = 1
[simulation]
duration = 0.03
max_frequency = 700.0
stencil = "compact-3"
wall_error = 0.001
[air]
absorption = true
[room]
box = [2.3, 1.9, 1.4]
walls = { default = "wood" }
[materials.wood]
admittance = 0.05
[[source]]
name = "S1"
position = [0.5, 0.6, 0.7]
signal = "dry.wav"
[[source]]
name = "S2"
position = [1.5, 0.6, 0.4]
pattern = "cardioid"
direction = [0, 1, 0]
[[receiver]]
name = "R1"
position = [1.7, 1.1, 0.4]
pattern = "figure-eight"
direction = [1, 0, 0]
[[receiver]]
name = "R2"
position = [1.0, 1.1, 0.8]
pattern = "ambisonic"
order = 1
[output]
raw = true
snapshots = [{ plane = "z", position = 0.6, every = 0.001 }, { plane = "volume", every = 0.01, end = 0.02 }]
)";

// A measured source in the ball of a receiver of order 4, and a receiver that moves.
inline const std::string pointed = R"(schema = 1
[simulation]
duration = 0.02
max_frequency = 800.0
stencil = "leggy-2"
[above]
method = "none"
[room]
box = [1.3, 1.1, 0.9]
walls = { default = "wood" }
[materials.wood]
admittance = 0.05
[[source]]
name = "S1"
position = [0.6, 0.5, 0.45]
directivity = "speaker.csv"
direction = [0, 1, 0]
[[receiver]]
name = "R1"
position = [0.65, 0.55, 0.45]
pattern = "ambisonic"
order = 4
[[receiver]]
name = "walk"
path = "walk.csv"
)";

// More responses than have a group each.
inline const std::string many = R"(schema = 1
[simulation]
duration = 0.002
max_frequency = 400.0
stencil = "leggy-2"
[room]
box = [1.3, 1.1, 0.9]
walls = { default = "wood" }
[materials.wood]
admittance = 0.05
[[source]]
name = "S1"
position = [0.5, 0.6, 0.7]
[[receiver]]
name = "R"
pattern = "figure-eight"
direction = [1, 0, 0]
grid = { from = [0.2, 0.2, 0.2], to = [1.1, 0.9, 0.7], count = [11, 10, 10] }
[output]
raw = true
)";

// A box of 3 x 2.5 x 2 m, in it two sheets 1 mm apart, of which a facet is doubled, one turned and one without an area.
inline const std::string odd_mesh = R"(v 0 0 0
v 3 0 0
v 3 2.5 0
v 0 2.5 0
v 0 0 2
v 3 0 2
v 3 2.5 2
v 0 2.5 2
v 1 1 1
v 1.5 1 1
v 1.5 1.5 1
v 1 1.5 1
v 1.501 1 1
v 2 1 1
v 2 1.5 1
v 1.501 1.5 1
v 1.25 1 1
usemtl wall
f 1 4 3 2
f 5 6 7 8
f 1 2 6 5
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
usemtl sheet
f 9 10 11
f 9 12 11
f 13 14 15
f 13 15 16
f 13 14 15
f 9 17 10
)";

inline const std::string odd_mesh_scene = R"(schema = 1
[simulation]
duration = 0.02
max_frequency = 150.0
stencil = "leggy-2"
[room]
mesh = "odd.obj"
walls = { default = "wood" }
[materials.wood]
admittance = 0.05
[[source]]
name = "S1"
position = [0.5, 0.6, 0.5]
[[receiver]]
name = "R1"
position = [2.5, 1.9, 1.5]
)";

// A closet with two walls across parts of it: one receiver behind an edge, one behind two.
inline const std::string closet_scene = R"(schema = 1
[simulation]
duration = 0.04
max_frequency = 400.0
stencil = "leggy-2"
[above]
rays = 2000
image_order = 2
[room]
mesh = "closet.obj"
units = "m"
up = "z"
walls = { default = "wood" }
[materials.wood]
admittance = 0.05
[[source]]
name = "S1"
position = [0.6, 0.5, 0.9]
[[receiver]]
name = "R1"
position = [1.7, 0.5, 1.1]
[[receiver]]
name = "R2"
position = [2.7, 1.6, 1.1]
)";

}  // namespace fdtd::test
