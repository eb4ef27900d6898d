// Provenance of a document of measurements: bench/tables.py prints it above its tables.
#pragma once

#include <string>

namespace fdtd::cli {

// The command line of this process, with the program name without its folder.
std::string command_line();
std::string date_today();  // "2025-01-31", UTC

}  // namespace fdtd::cli
