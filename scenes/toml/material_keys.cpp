#include "scenes/toml/material_keys.hpp"

#include <fmt/format.h>

#include "scenes/toml/material_file.hpp"
#include "scenes/toml/material_kinds.hpp"
#include "scenes/toml/material_library.hpp"

namespace fdtd {
namespace {

void take_from_library(Material& into, const LibraryMaterial& found) {
  into.kind = Material::Kind::absorption;
  into.bands = found.bands;
  into.alpha = found.alpha;
  into.origin = fmt::format("{} of the library: {}, {}", found.name, found.about, found.source);
}

constexpr const char* rigid_name = "rigid";  // of a material that needs no table

std::vector<std::string> library_names() {
  std::vector<std::string> names;
  for (const LibraryMaterial& one : material_library()) names.push_back(one.name);
  return names;
}

void read_library(Material& into, const At& at) {
  into.kind = Material::Kind::absorption;
  const auto word = at.text();
  if (!word) return;
  if (const LibraryMaterial* found = find_library_material(*word)) return take_from_library(into, *found);
  const std::string near = nearest_name(*word, library_names()), alike = names_in_library(*word);
  at.fail("the library has no " + in_quotes(*word), (!near.empty()    ? "did you mean " + in_quotes(near) + "? "
                                                     : !alike.empty() ? "it has " + alike + "; "
                                                                      : "") +
                                                        "`fdtd materials` lists all");
}

void read_file(Material& into, const At& at) {
  const auto path = at.file();
  if (!path) return;
  std::string why;
  const auto read = read_material_file(*path, why);
  if (!read) return at.fail(why);
  const std::string name = into.name;
  const TextPlace place = into.place;
  const std::vector<double> bands = into.scattering_bands, scattering = into.scattering;
  const bool smooth_law = into.smooth_law;
  into = *read;
  into.name = name;
  into.place = place;
  into.scattering_bands = bands;
  into.scattering = scattering;
  into.smooth_law |= smooth_law;
  into.origin = "the file " + at.value.text;
}

// Of which a material has exactly one.
const std::vector<Key<Material>>& law_keys() {
  static const std::vector<Key<Material>> keys = [] {
    std::vector<Key<Material>> all = material_kinds();
    all.push_back({"library",
                   {read_library, {"name from `fdtd materials`", {}, {}}},
                   "An entry of the built-in library of published absorption coefficients."});
    all.push_back({"file",
                   {read_file, {"path of a .toml, .csv or .txt file", {}, {}}},
                   "A material's own file, in the scene's folder."});
    return all;
  }();
  return keys;
}

const std::vector<Key<Material>>& material_keys() {
  static const std::vector<Key<Material>> keys = [] {
    std::vector<Key<Material>> all = law_keys();
    all.push_back(scattering_key());
    all.push_back(law_key());
    return all;
  }();
  return keys;
}

void read_material(Material& into, const At& at) {
  read_table(into, at, material_keys());
  if (at.value.kind != Value::Kind::table) return;
  exactly_one(at, names(law_keys()));
  const Entry* const law = at.value.find("law");
  if (law != nullptr && into.smooth_law && into.kind != Material::Kind::absorption &&
      into.kind != Material::Kind::admittance)
    at.below(*law).fail("only a material of absorption or of an admittance has a smooth law", "leave it out");
}

}  // namespace

void read_materials(Scene& scene, const At& at) {
  if (!at.is_table()) return;
  for (const Entry& entry : at.value.entries) {
    const At one = at.below(entry);
    const std::string why = bad_name(entry.key);
    if (!why.empty()) {
      at.reading.fail(entry.place, at.where, fmt::format("the name {} {}", in_quotes(entry.key), why));
      continue;
    }
    Material& material = scene.materials[entry.key];
    material.name = entry.key;
    material.place = entry.place;
    read_material(material, one);
  }
}

bool has_material(Scene& scene, const std::string& name) {
  if (scene.materials.count(name) > 0) return true;
  const LibraryMaterial* found = find_library_material(name);
  if (found == nullptr && name != rigid_name) return false;
  Material& one = scene.materials[name];
  one.name = name;
  if (found == nullptr) {
    one.kind = Material::Kind::rigid;
    return true;
  }
  take_from_library(one, *found);
  return true;
}

std::string material_hint(const Scene& scene, const std::string& name) {
  std::vector<std::string> known;
  for (const auto& [own, material] : scene.materials) known.push_back(own);
  std::string near = nearest_name(name, known);
  // A word that entries hold is no misspelt one.
  if (const std::string alike = names_in_library(name); near.empty() && !alike.empty())
    return fmt::format("the library has {}; or a table [materials.{}] is needed", alike, name);
  std::vector<std::string> library = library_names();
  library.emplace_back(rigid_name);
  if (near.empty()) near = nearest_name(name, library);
  if (!near.empty()) return "did you mean " + in_quotes(near) + "?";
  return fmt::format("a table [materials.{}] is needed, or a name of the library (`fdtd materials` lists them)",
                     name.empty() ? "..." : name);
}

std::vector<KeyTable> material_tables() {
  std::vector<KeyTable> tables = material_kind_tables();
  tables.insert(
      tables.begin(),
      describe_table(
          {"materials.*", "[materials.NAME]",
           R"(One table for each material that a wall names. Whatever is given becomes passive branches fitted up to
the valid bandwidth; `fdtd plan`, `fdtd run` and `fdtd materials` print the requested absorption beside the fitted
one.

A file that `file` names is either TOML with one of these keys (but `library` and `file`) at its top, or a table of
numbers with a first line that names the columns: `frequency, alpha` (octave bands) or `frequency, real, imaginary`
(Z / (ρc)). Columns are separated by commas, semicolons, tabs or blanks; lines that start with # are comments.)",
           R"([materials.plaster]
absorption = { bands = [125, 250, 500, 1000, 2000], alpha = [0.14, 0.10, 0.06, 0.05, 0.04] }

[materials.carpet]
library = "carpet-heavy"

[materials.concrete]
rigid = true

[materials.curtain]
admittance = 0.05

[materials.absorber]
porous = { flow_resistivity = 12000, thickness = 0.05, air_gap = 0.1 }

[materials.panel]
branches = [{ D = 1e-3, E = 0.8, F = 120.0 }]

[materials.shelves]
library = "plywood-thin"
scattering = { bands = [500, 1000, 2000], s = [0.2, 0.3, 0.4] }

[materials.measured]
impedance = { frequencies = [125, 500, 2000], real = [4.0, 2.0, 1.1], imaginary = [-9.0, -2.2, -0.3] }
)"},
          material_keys(), names(law_keys())));
  return tables;
}

}  // namespace fdtd
