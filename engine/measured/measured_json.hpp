// Figures measured in a room, from JSON:
//
//   {"bands_hz": [63, 125, ...],                   octaves
//    "pairs": {"LS1 MP1": {"edt": [1.27, null, ...], "c80": [...], ...}, ...}}
//
// A pair is named by its source and its receiver, parted by a blank; where names hold blanks "pairs" is a list of objects
// with "source" and "receiver" beside the figures. Figures, one for each octave: "edt", "t20", "t30" (s), "c50", "c80"
// (dB), "d50" (a fraction of 1), "ts" (s), "g" (dB), in small or capital letters; null, or a text that says why, for a
// missing one. "sources" and "receivers" (or "listeners") may state positions, {"LS1": [x, y, z], ...} in m. Descriptions
// of the data ("scene", "source", "responses", ...) are left unread; remarks name other keys and other figures.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/measured/room_figures.hpp"

namespace fdtd {

// Nothing, and `why` with the place, for a text that is none. Never throws for what the text holds.
std::optional<RoomFigures> read_measured_json(std::string_view text, std::string& why);

}  // namespace fdtd
