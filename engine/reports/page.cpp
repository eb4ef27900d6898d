#include "engine/reports/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "engine/reports/page_text.hpp"

namespace fdtd {

std::string escape_html(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

namespace {

// Text is aligned left, numbers right.
bool holds_words(const Table& table, std::size_t column) {
  return std::ranges::any_of(table.rows, [&](const auto& row) {
    return column < row.size() && !row[column].empty() && std::isalpha(static_cast<unsigned char>(row[column][0])) != 0;
  });
}

}  // namespace

std::string to_html(const Table& table) {
  std::vector<const char*> kinds;
  for (std::size_t c = 0; c < table.head.size(); ++c) kinds.push_back(holds_words(table, c) ? " class=\"words\"" : "");
  constexpr std::size_t rows_of_screen = 40;  // more scroll below their head
  std::string html =
      fmt::format("<div class=\"scroll{}\" tabindex=\"0\"><table>", table.rows.size() > rows_of_screen ? " tall" : "");
  if (!table.caption.empty()) html += "<caption><span>" + escape_html(table.caption) + "</span></caption>";
  html += "<thead><tr>";
  for (std::size_t c = 0; c < table.head.size(); ++c)
    html += fmt::format("<th scope=\"col\"{}>{}</th>", kinds[c], escape_html(table.head[c]));
  html += "</tr></thead><tbody>\n";
  for (const auto& row : table.rows) {
    html += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c)
      html += c == 0 ? "<th scope=\"row\">" + escape_html(row[c]) + "</th>"
                     : fmt::format("<td{}>{}</td>", c < kinds.size() ? kinds[c] : "", escape_html(row[c]));
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string html_page(const std::string& title, const std::string& body, const std::string& scripts) {
  return fmt::format(R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline';
 script-src 'unsafe-inline'; img-src data:; media-src data:">
<link rel="icon" href="data:,"><title>{0}</title>
<style>
{3}</style></head><body>
<h1>{0}</h1>
{1}{2}</body></html>
)",
                     escape_html(title), body, scripts, page_style);
}

}  // namespace fdtd
