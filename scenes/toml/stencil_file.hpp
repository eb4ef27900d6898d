// Stencil weights from a user's TOML file, which `simulation.stencil` of a scene names.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/problem.hpp"
#include "scenes/toml/key_tables.hpp"
#include "stencils/stencil.hpp"

namespace fdtd {

struct StencilFile {
  Stencil stencil;                // meaningful only without problems
  std::string text;               // of the file
  std::vector<Problem> problems;  // in order of place
};

// Reads the file and applies the checks that the catalogue passes (stencils/check.hpp); `problems` holds every reason
// why the weights are refused. Never throws for what the file holds.
StencilFile load_stencil(const std::filesystem::path& file);

KeyTable stencil_file_table();

}  // namespace fdtd
