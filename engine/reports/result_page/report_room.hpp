// The room in a report: its surface, sources and receivers, in a view that the reader can rotate.
#pragma once

#include <string>

#include "engine/results/result.hpp"

namespace fdtd {

// HTML of the picture with its legend, or a sentence where there is no surface. `room_scripts` goes to the end of the
// page and makes the picture interactive.
std::string room_html(const Result& result);
std::string room_scripts(const Result& result);
// The scripts of a page without a room.
std::string page_scripts();

}  // namespace fdtd
