// What a document of measurements says of where it comes from.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace fdtd::cli {

// The words that started this program, its own name without its folder.
std::string command_line();
// {"commit", "date", "machine", "driver", "command"}: what bench/tables.py puts above its tables.
nlohmann::ordered_json provenance(const std::string& machine, const std::string& driver);

}  // namespace fdtd::cli
