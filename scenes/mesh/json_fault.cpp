#include "scenes/mesh/json_fault.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/problem.hpp"

namespace fdtd {
namespace {

std::string place_of(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t start = before.find_last_of('\n');
  return fmt::format("line {}, column {}", line, at - (start == before.npos ? 0 : start + 1) + 1);
}

// The number that the parser quotes, where it stands as a whole in the text.
std::size_t find_number(std::string_view text, std::string_view message) {
  const std::size_t end = message.find_last_of('\''), begin = message.substr(0, end).find_last_of('\'');
  if (end == message.npos || begin == message.npos) return text.npos;
  const std::string_view number = message.substr(begin + 1, end - begin - 1);
  constexpr std::string_view parts = "0123456789+-.eE";
  for (std::size_t at = text.find(number); at != text.npos; at = text.find(number, at + 1)) {
    const std::size_t after = at + number.size();
    if ((at == 0 || parts.find(text[at - 1]) == parts.npos) &&
        (after == text.size() || parts.find(text[after]) == parts.npos))
      return at;
  }
  return text.npos;
}

}  // namespace

std::string json_fault(std::string_view text, const std::exception& error) {
  if (const auto* const syntax = dynamic_cast<const nlohmann::json::parse_error*>(&error)) {
    const std::size_t at = syntax->byte == 0 ? 0 : syntax->byte - 1;
    if (at >= text.size()) return fmt::format("{}: the text ends within its JSON", place_of(text, text.size()));
    const std::size_t end = std::min(text.find_first_of("\r\n", at + 1), text.size());
    return fmt::format("{}: no valid JSON at {}", place_of(text, at), in_quotes(text.substr(at, end - at)));
  }
  if (dynamic_cast<const nlohmann::json::out_of_range*>(&error) != nullptr) {
    const std::size_t at = find_number(text, error.what());
    const std::string place = at == text.npos ? "" : place_of(text, at) + ": ";
    return place + "a number is too large for double precision";
  }
  return "a value is of the wrong kind";
}

}  // namespace fdtd
