// The table [materials.NAME].
#pragma once

#include <string>
#include <vector>

#include "scenes/scene.hpp"
#include "scenes/toml/key_tables.hpp"

namespace fdtd {

// The table of tables [materials]: fills scene.materials.
void read_materials(Scene& scene, const At& at);

// Makes the library's material `name` one of the scene's, unless the scene has one of that name. Whether the scene has it
// now.
bool has_material(Scene& scene, const std::string& name);

// The best guess of the scene's and the library's names, as "did you mean ..."; else which table is needed.
std::string material_hint(const Scene& scene, const std::string& name);

std::vector<KeyTable> material_tables();

}  // namespace fdtd
