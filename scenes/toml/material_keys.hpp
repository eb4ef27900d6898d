// The table [materials.NAME], which is also the content of a material's own TOML file.
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

// Why a coefficient is above 1, and what to write: of a table whose largest is `largest`.
std::string hint_above_one(double largest);

// The root table of a material's own file: the keys of [materials.NAME] but `library` and `file`.
void read_material_of_file(Material& into, const At& at);

std::vector<KeyTable> material_tables();

}  // namespace fdtd
