// Materials that come with the program: scenes/data/materials.toml, compiled in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fdtd {

struct LibraryMaterial {
  std::string name, about;
  std::string source;                // where the numbers are printed
  std::vector<double> bands, alpha;  // Hz, random-incidence absorption coefficients
};

// In the order of the file, which goes by kind of surface.
const std::vector<LibraryMaterial>& material_library();
const LibraryMaterial* find_library_material(std::string_view name);  // nullptr: there is none

}  // namespace fdtd
