// The table [room] with a mesh: reads the mesh files and assigns materials to the names in them.
#pragma once

#include "scenes/scene.hpp"
#include "scenes/toml/reader.hpp"

namespace fdtd {

constexpr Range seal_range{0, 1000, "m"};  // of room.seal

// Reads room.mesh with room.units and room.up into the room, and sets its bounding box. `at` is the table [room]; the
// sources and receivers have been read, for "auto" looks at their positions.
void read_mesh_room(Scene& scene, const At& at);

// Assigns a material to every name of the mesh, once the materials are read: the one in [room.walls], else the
// material of the same name, else the default of [room.walls]. A name without a material is a problem, reported with
// the nearest material; names that get the default are listed in a remark.
void map_mesh_materials(Scene& scene, const At& at);

}  // namespace fdtd
