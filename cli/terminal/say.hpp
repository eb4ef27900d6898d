// The program's output. Names, paths and texts of files may hold anything: whatever a terminal would obey is escaped
// here, in one place for all messages, tables and documents. Lines of text are broken at 80 columns (lines.hpp); those of
// documents, which programs read, are not.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "engine/reports/json_text.hpp"

namespace fdtd::cli {

// Results, to stdout. Throws std::system_error when they cannot be written.
void put_text(std::string_view text);
template <class... Values>
void print_text(fmt::format_string<Values...> text, Values&&... values) {
  put_text(fmt::format(text, std::forward<Values>(values)...));
}

// A document: JSON or Markdown, or a table wider than a terminal.
void put_document(std::string_view text);

// Messages beside the results, to stderr. Nothing is thrown when they cannot be written: a long run must not end
// because the disk of its log is full.
void say_text(std::string_view text);
template <class... Values>
void say(fmt::format_string<Values...> text, Values&&... values) {
  say_text(fmt::format(text, std::forward<Values>(values)...));
}
// The same over the terminal's last line, which `line` replaces.
void say_over(std::string_view line);

}  // namespace fdtd::cli
