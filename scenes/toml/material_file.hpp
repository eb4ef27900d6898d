// Reads a material from the file that the key `file` of a scene's material names.
//
// *.toml has the keys of a table [materials.NAME]. *.csv (or .txt) is a table with a header line:
//   frequency, alpha            random-incidence absorption by octave band
//   frequency, real, imaginary  normalised specific impedance Z / (rho c), for exp(+i omega t)
// Columns may be in any order, separated by commas, semicolons, tabs or blanks; lines that start with # are skipped.
// Frequencies are in Hz and increase. Numbers have a decimal point.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "scenes/scene.hpp"

namespace fdtd {

// The kind and the data of the material; nothing, and `why` with the file's name and line, when the file is invalid.
// Never throws for the content of the file.
std::optional<Material> read_material_file(const std::filesystem::path& file, std::string& why);

}  // namespace fdtd
