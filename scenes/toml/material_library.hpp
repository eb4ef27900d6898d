// The library of materials, scenes/data/materials.toml, which is compiled into the program.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
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

// A word of a model or of a search, in lower case, and the library's for the same surface.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 38> material_synonyms = {{
    {"drywall", "plasterboard"},
    {"gypsum", "plasterboard"},
    {"gyproc", "plasterboard"},
    {"sheetrock", "plasterboard"},
    {"window", "glass"},
    {"windows", "glass"},
    {"glazing", "glass"},
    {"pane", "glass"},
    {"timber", "wood"},
    {"oak", "wood"},
    {"pine", "wood"},
    {"beech", "wood"},
    {"stone", "limestone"},
    {"tile", "tiles"},
    {"vinyl", "linoleum"},
    {"lino", "linoleum"},
    {"pvc", "linoleum"},
    {"rug", "carpet"},
    {"drape", "curtain"},
    {"drapes", "curtain"},
    {"seat", "chairs"},
    {"seats", "chairs"},
    {"seating", "chairs"},
    {"people", "audience"},
    {"desk", "desks"},
    {"table", "desks"},
    {"tables", "desks"},
    {"sofa", "chairs"},
    {"armchair", "chairs"},
    {"bench", "chairs"},
    {"pew", "pews"},
    {"pupils", "students"},
    {"persons", "people"},
    {"crowd", "audience"},
    {"velvet", "velour"},
    {"drapery", "curtain"},
    {"pool", "water"},
    {"rockwool", "rock"},
}};

}  // namespace fdtd
