#include "engine/reports/json_text.hpp"

#include <nlohmann/json.hpp>

#include "base/utf8.hpp"

namespace fdtd {

std::string json_text(const nlohmann::ordered_json& document, int indent) {
  constexpr auto replace = nlohmann::ordered_json::error_handler_t::replace;
  std::string text = document.dump(indent, ' ', false, replace);
  return printable(text) == text ? text : document.dump(indent, ' ', true, replace);
}

}  // namespace fdtd
