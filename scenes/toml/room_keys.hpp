// The table [room] and its [room.walls]: a box, or a mesh.
#pragma once

#include <vector>

#include "scenes/scene.hpp"
#include "scenes/toml/key_tables.hpp"

namespace fdtd {

void read_room(Scene& scene, const At& at);
std::vector<KeyTable> room_tables();

}  // namespace fdtd
