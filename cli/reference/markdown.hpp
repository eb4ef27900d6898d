// Markdown as the pages of the reference manual need it: escaped text and tables.
#pragma once

#include <string>
#include <vector>

namespace fdtd::cli {

// Text that Markdown and HTML leave as it is; code, between backticks, stays unchanged.
std::string escape_markdown(const std::string& text);

// `text` in backticks, for a word that may hold any character but a backtick; "" for "".
std::string code(const std::string& text);

// A table; cells are Markdown, in which only the bar is escaped. Columns without any text are left out.
std::string markdown_table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows);

}  // namespace fdtd::cli
