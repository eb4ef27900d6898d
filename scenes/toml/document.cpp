#include "scenes/toml/document.hpp"

#include <fmt/format.h>

#include <utility>

namespace fdtd {

const Entry* Value::find(std::string_view key) const {
  for (const Entry& entry : entries) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

Entry* Value::find(std::string_view key) { return const_cast<Entry*>(std::as_const(*this).find(key)); }

std::string describe(const Value& value) {
  switch (value.kind) {
    case Value::Kind::boolean:
      return value.boolean ? "true" : "false";
    case Value::Kind::integer:
      return fmt::format("{}", value.integer);
    case Value::Kind::real:
      return fmt::format("{}", value.real);
    case Value::Kind::text:
      return "the text " + in_quotes(value.text);
    case Value::Kind::date:
      return "a date or time";
    case Value::Kind::list:
      return value.items.empty() ? "an empty list" : "a list";
    case Value::Kind::table:
      return "a table";
  }
  return {};
}

}  // namespace fdtd
