// Values of options: grids and devices.
#pragma once

#include <array>
#include <optional>
#include <string>

namespace fdtd::cli {

// "256x256x192"; throws Error(scene) for anything else.
std::array<int, 3> parse_grid(const std::string& text);
// The GPU's number for "cuda" and "cuda:1", nothing for "cpu"; throws Error(scene) for anything else.
std::optional<int> parse_device(const std::string& text);

}  // namespace fdtd::cli
