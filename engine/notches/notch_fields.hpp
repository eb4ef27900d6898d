// Notches as JSON: one object for each source and receiver, the same in every document.
#pragma once

#include <string>
#include <vector>

#include "engine/files/json_fields.hpp"
#include "engine/notches/wall_notches.hpp"

namespace fdtd {

const JsonFields<PairNotches>& pair_notches_fields();

// A list of such objects as text; "" for none. Throws nlohmann::json::exception for another text.
std::vector<PairNotches> read_pair_notches(const std::string& text);

}  // namespace fdtd
