// Every key of a material, stated once.
#pragma once

#include <string>
#include <vector>

#include "scenes/reader.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

// One table [materials.NAME]; what is wrong goes to at.reading.
void read_material(Material& into, const At& at);

// The root table of a material's own file: the same, but for `library` and `file`.
void read_material_of_file(Material& into, const At& at);

// Dotted, without the material: "absorption", "absorption.bands".
std::vector<std::string> known_material_keys();

}  // namespace fdtd
