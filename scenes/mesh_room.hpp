// [room] with a mesh: the file, and which material each of its names means.
#pragma once

#include "scenes/reader.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

// Reads room.mesh as room.units and room.up say into `room`, and its bounding box. `at` is the table [room].
void read_mesh_room(Room& room, const At& at);

// When the materials are known: gives every name of the mesh a material. What [room.walls] says of it counts first,
// then a material of the same name, then [room.walls] default. A name without any is a problem, told with the nearest
// one; those that fall to the default are remarked upon.
void map_mesh_materials(Scene& scene, const At& at);

}  // namespace fdtd
