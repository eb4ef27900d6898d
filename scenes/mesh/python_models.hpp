// Models of rooms that the Python package reads by libraries of their own (roomfdtd.models), and this program does not.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace fdtd {

// The suffix in lower case, by which such a model is known; none for all other files.
std::optional<std::string> suffix_of_python_model(const std::filesystem::path& file);

// The command that makes a scene of it, and how it is installed.
std::string python_model_command(const std::filesystem::path& file);

}  // namespace fdtd
