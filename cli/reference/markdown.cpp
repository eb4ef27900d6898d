#include "cli/reference/markdown.hpp"

#include <algorithm>
#include <string_view>

namespace fdtd::cli {

std::string escape_markdown(const std::string& text) {
  std::string out;
  bool in_code = false;
  for (const char c : text) {
    if (c == '`') in_code = !in_code;
    if (in_code)
      out += c;
    else if (c == '<')
      out += "&lt;";
    else if (std::string_view("*_[]#~\\").find(c) != std::string_view::npos)
      out += {'\\', c};
    else
      out += c;
  }
  return out;
}

std::string code(const std::string& text) { return text.empty() ? "" : '`' + text + '`'; }

std::string markdown_table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> columns;
  for (std::size_t c = 0; c < head.size(); ++c)
    if (std::any_of(rows.begin(), rows.end(), [c](const auto& row) { return !row[c].empty(); })) columns.push_back(c);
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text = "|";
    for (const std::size_t c : columns) {
      text += ' ';
      for (const char letter : cells[c]) text += letter == '|' ? std::string("\\|") : std::string(1, letter);
      text += " |";
    }
    return text + '\n';
  };
  std::string text = line(head) + line(std::vector<std::string>(head.size(), "---"));
  for (const auto& row : rows) text += line(row);
  return text;
}

}  // namespace fdtd::cli
