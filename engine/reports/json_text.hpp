// JSON documents as text.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace fdtd {

// What is not UTF-8 in the document is replaced, what is not printable is escaped as JSON has it.
std::string json_text(const nlohmann::ordered_json& document, int indent = -1);

}  // namespace fdtd
