// Provenance of a document of measurements.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace fdtd::cli {

// The command line of this process, with the program name without its folder.
std::string command_line();
// {"commit", "date", "machine", "driver", "command"}: printed above its tables by bench/tables.py.
nlohmann::ordered_json provenance(const std::string& machine, const std::string& driver);

}  // namespace fdtd::cli
