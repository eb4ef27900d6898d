// The library of materials, scenes/data/materials.toml, which is compiled into the program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fdtd {

struct LibraryMaterial {
  std::string name, about;
  std::string source;                // publication of the coefficients
  std::vector<double> bands, alpha;  // Hz, random-incidence absorption coefficients
};

// In the order of the file, by kind of surface.
const std::vector<LibraryMaterial>& material_library();
const LibraryMaterial* find_library_material(std::string_view name);  // nullptr: none

// The entries whose name and description hold all words of `text`, in either case; all for a text without words.
std::vector<const LibraryMaterial*> search_library(std::string_view text);
// The first names among these, "a, b, c, ...", for a message; "" for none.
std::string names_in_library(std::string_view text);

}  // namespace fdtd
