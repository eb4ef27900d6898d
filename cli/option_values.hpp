// Values of options: grids and devices.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace fdtd::cli {

// "256x256x192"; throws Error(scene) for anything else.
std::array<int, 3> parse_grid(const std::string& text);
// The GPU's number for "cuda" and "cuda:1", nothing for "cpu"; throws Error(scene) for anything else.
std::optional<int> parse_device(const std::string& text);

// `count` numbers with `separator` between them and blanks anywhere beside; none for another text.
std::optional<std::vector<double>> parse_numbers(const std::string& text, std::size_t count, char separator = ',');

// "45,40,35,30,25,22,20": levels in dB of the seven octaves of speech, 125 to 8000 Hz; throws Error(scene) for anything
// else.
std::array<double, 7> parse_noise(const std::string& text);

}  // namespace fdtd::cli
