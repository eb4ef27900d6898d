// JSON documents as text.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace fdtd {

// Bytes that are not UTF-8 are replaced, characters that are not printable are escaped as JSON has it.
std::string json_text(const nlohmann::ordered_json& document, int indent = -1);

}  // namespace fdtd
