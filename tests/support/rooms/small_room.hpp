// A scene in text: a small room with two receivers and one source.
#pragma once

#include <string>

namespace fdtd::test {

inline const std::string small_room = R"(schema = 1
[simulation]
duration = 0.03
max_frequency = 700.0
stencil = "leggy-3"
[room]
box = [2.3, 1.9, 1.4]
[room.walls]
default = "plaster"
z_min = "panel"
x_max = "rigid"
[materials.plaster]
absorption = { bands = [125, 250, 500, 1000], alpha = [0.2, 0.1, 0.06, 0.05] }
[materials.panel]
branches = [ { D = 1e-3, E = 0.8, F = 120.0 }, { E = 8.0 } ]
[materials.rigid]
rigid = true
[[source]]
name = "S1"
position = [0.5, 0.6, 0.7]
[[receiver]]
name = "R1"
position = [1.7, 1.1, 0.4]
[[receiver]]
name = "R2"
position = [2.3, 1.9, 1.4]
[output]
low_cut = 0.0
)";

}  // namespace fdtd::test
