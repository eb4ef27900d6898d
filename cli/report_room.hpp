// The room in a report: its surface, sources and receivers, to be turned by hand.
#pragma once

#include <string>

#include "engine/results/result.hpp"

namespace fdtd::cli {

// HTML of the picture with its key; without a surface a sentence instead. `room_scripts` gives it life: at the page's end.
std::string room_html(const Result& result);
std::string room_scripts(const Result& result);

}  // namespace fdtd::cli
