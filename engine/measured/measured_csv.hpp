// Figures measured in a room, from a table of text (base/text_table.hpp), a value a line:
//
//   source, receiver, figure, band, value
//   LS1, MP1, t20, 500, 2.07
//
// Columns may be in any order; figures, bands (Hz) and units are those of measured_json.hpp. An empty value is a missing
// one; a column "reason" may say why.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/measured/room_figures.hpp"

namespace fdtd {

// Nothing, and `why` with the line, for a text that is none. Never throws for what the text holds.
std::optional<RoomFigures> read_measured_csv(std::string_view text, std::string& why);

}  // namespace fdtd
