// The library's material that a name in a model suggests.
#pragma once

#include <string_view>

#include "scenes/toml/material_library.hpp"

namespace fdtd {

// The entry that shares most words with `name` ("Wall_Brick.001": brick), words of other names for the same thing
// included ("drywall": plasterboard). Words of an entry's name count twice those of its description; qualities ("rough",
// "floor") decide among entries that share another word; of equals the first in the library. nullptr: none shares one.
const LibraryMaterial* nearest_entry(std::string_view name);

}  // namespace fdtd
