// Many receivers in one table: on a grid, along a line, along an arc, or as the microphones of a device.
#pragma once

#include <array>
#include <vector>

#include "scenes/array_text.hpp"
#include "scenes/toml/key_tables.hpp"

namespace fdtd {

constexpr int max_places = 1'000'000;  // of one table

// Positions in m; a grid's with x fastest, then y, then z. A table that cannot be read leaves `places` empty, with the
// problems recorded.
void read_grid(std::vector<std::array<double, 3>>& places, const At& at);
void read_line(std::vector<std::array<double, 3>>& places, const At& at);
void read_arc(std::vector<std::array<double, 3>>& places, const At& at);

// The path in a file of a table (scenes/path_text.hpp); nothing, and `why` with the file's name, where it holds none.
std::optional<Path> read_path_file(const std::filesystem::path& file, std::string& why);
std::optional<Path> read_receiver_path(const At& at);
// The microphones of a device from a file (scenes/array_text.hpp). Records a problem with the file's line where it
// cannot be read.
std::vector<Microphone> read_microphones(const At& at);

std::vector<KeyTable> place_tables();

}  // namespace fdtd
