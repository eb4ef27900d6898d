// Reads what was measured in a room: figures, or the responses that they are taken from.
#pragma once

#include <filesystem>

#include "engine/measured/room_figures.hpp"

namespace fdtd {

// The figures of a file: *.json (measured_json.hpp), *.csv or *.txt (measured_csv.hpp). Throws Error (status file) with
// the place and what to do.
RoomFigures read_measured(const std::filesystem::path& path);

}  // namespace fdtd
