// A material from a file that a scene's `file` names.
//
// *.toml holds what a table [materials.NAME] would. *.csv (or .txt) is a table with a head:
//   frequency, alpha            random-incidence absorption by octave band
//   frequency, real, imaginary  normalised specific impedance Z / (rho c), for exp(+i omega t)
// Columns in any order, separated by commas, semicolons, tabs or blanks; lines that start with # are skipped;
// frequencies in Hz, rising. Decimal points, not commas.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "scenes/scene.hpp"

namespace fdtd {

// Kind and data of the material; nothing, and why (with the file's name and line), when there is none in the file.
// Never throws for what the file holds.
std::optional<Material> read_material_file(const std::filesystem::path& file, std::string& why);

}  // namespace fdtd
