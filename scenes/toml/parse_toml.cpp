// Parses TOML text into a Value with toml++, which no other file includes because it is slow to compile.
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>

#include "scenes/toml/document.hpp"

namespace fdtd {
namespace {

TextPlace place_of(const toml::source_position& at) { return {static_cast<int>(at.line), static_cast<int>(at.column)}; }

Value value_of(const toml::node& node) {
  Value value;
  value.place = place_of(node.source().begin);
  value.end = place_of(node.source().end);
  if (const auto* boolean = node.as_boolean()) {
    value.kind = Value::Kind::boolean;
    value.boolean = boolean->get();
  } else if (const auto* integer = node.as_integer()) {
    value.kind = Value::Kind::integer;
    value.integer = integer->get();
    value.real = static_cast<double>(integer->get());
  } else if (const auto* real = node.as_floating_point()) {
    value.kind = Value::Kind::real;
    value.real = real->get();
  } else if (const auto* text = node.as_string()) {
    value.kind = Value::Kind::text;
    value.text = text->get();
  } else if (const auto* list = node.as_array()) {
    value.kind = Value::Kind::list;
    value.items.reserve(list->size());
    for (const toml::node& item : *list) value.items.push_back(value_of(item));
  } else if (const auto* table = node.as_table()) {
    value.kind = Value::Kind::table;
    value.entries.reserve(table->size());
    for (const auto& [key, item] : *table) {
      value.entries.push_back({std::string(key.str()), place_of(key.source().begin), value_of(item)});
    }
    // toml++ sorts tables by name; problems are reported in the order of the file.
    std::stable_sort(value.entries.begin(), value.entries.end(), [](const Entry& a, const Entry& b) {
      return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
    });
  } else {
    value.kind = Value::Kind::date;
  }
  return value;
}

// The most frequent cause of a message of toml++.
std::string hint_for(std::string_view complaint) {
  constexpr std::pair<std::string_view, std::string_view> hints[] = {
      {"could not determine value type", "a value is a number, true, false, \"text\", [a list] or { a = table }"},
      {"expected 'true'", "true is written in small letters"},
      {"expected 'false'", "false is written in small letters"},
      {"whitespace, saw ','", "decimals take a point, as in 1.5; a list takes brackets, as in [1, 2]"},
      {"string: unescaped control", "text ends with its quote on the same line"},
      {"string: control", "text ends with its quote on the same line"},
      {"unknown escape", "between double quotes a backslash begins an escape: single quotes take it as it is"},
      {"expected hex digit", "between double quotes a backslash begins an escape: single quotes take it as it is"},
      {"comments, saw '/'", "comments begin with #"},
      {"expected '=', saw ':'", "write key = value"},
      {"cannot redefine", "every key and table is given once; elements of a list of tables take [[two brackets]]"},
      {"inline table: expected key or closing '}', saw '\\n'", "a table in braces stays on one line"},
  };
  for (const auto& [sign, hint] : hints) {
    if (complaint.find(sign) != complaint.npos) return std::string(hint);
  }
  return {};
}

// "Error while parsing string: ..." -> "not TOML, in string: ..."
std::string complaint_of(std::string_view description) {
  constexpr std::string_view lead = "Error while parsing ";
  return description.starts_with(lead) ? "not TOML, in " + std::string(description.substr(lead.size()))
                                       : "not TOML: " + std::string(description);
}

}  // namespace

std::optional<Value> read_toml(std::string_view text, Problem& problem) {
  try {
    const toml::table root = toml::parse(text);
    Value value = value_of(root);
    value.place = {};
    return value;
  } catch (const toml::parse_error& error) {
    const std::string_view description = error.description();
    problem = {place_of(error.source().begin), 1, {}, complaint_of(description), hint_for(description), {}};
    return std::nullopt;
  }
}

}  // namespace fdtd
