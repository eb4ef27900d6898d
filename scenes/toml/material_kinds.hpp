// The kinds of a material as keys: absorption, admittance, branches, impedance, porous, rigid. A table [materials.NAME]
// and a material's own file hold exactly one of them.
#pragma once

#include <string>
#include <vector>

#include "scenes/scene.hpp"
#include "scenes/toml/key_tables.hpp"
#include "scenes/toml/reader.hpp"

namespace fdtd {

const std::vector<Key<Material>>& material_kinds();
// The key `scattering`, which a material may have beside its kind.
Key<Material> scattering_key();
// The key `law`, likewise.
Key<Material> law_key();

// The tables below [materials.NAME] for the reference manual.
std::vector<KeyTable> material_kind_tables();

// Why a coefficient is above 1, and what to write: of a table whose largest is `largest`.
std::string hint_above_one(double largest);

}  // namespace fdtd
