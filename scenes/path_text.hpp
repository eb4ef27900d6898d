// The path of a receiver or source that moves, from a table with a header line:
//   t, x, y, z        time in s, increasing; position in m
//   t, x, y, z, yaw   also degrees to the left, as seen from above; 0 looks along x
// Columns may be in any order, separated by commas, semicolons, tabs or blanks; lines that start with # are skipped.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "scenes/path.hpp"

namespace fdtd {

inline constexpr std::size_t most_path_rows = 100000;

// Nothing, and `why` with the line, where the text is no path; never throws for what it holds.
std::optional<Path> read_path(std::string_view text, std::string& why);

}  // namespace fdtd
