// The flags of outputs that a user wants beside those of every run.
#pragma once

#include <CLI/CLI.hpp>
#include <set>
#include <string>

namespace fdtd::cli {

// Adds --NAME for each row of outputs() with a flag; given, NAME joins `wanted`, which must live as long as `app`.
void add_output_flags(CLI::App& app, std::set<std::string>& wanted);

}  // namespace fdtd::cli
