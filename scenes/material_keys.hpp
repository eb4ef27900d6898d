// The table [materials.NAME], which is also the content of a material's own TOML file.
#pragma once

#include <vector>

#include "scenes/key_tables.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

// The table of tables [materials]: fills scene.materials.
void read_materials(Scene& scene, const At& at);

// The root table of a material's own file: the keys of [materials.NAME] but `library` and `file`.
void read_material_of_file(Material& into, const At& at);

std::vector<KeyTable> material_tables();

}  // namespace fdtd
