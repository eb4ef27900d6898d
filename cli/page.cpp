#include "cli/page.hpp"

#include <fmt/format.h>

#include "cli/page_text.hpp"

namespace fdtd::cli {

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

std::string to_html(const Table& table) {
  std::string html = "<div class=\"scroll\" tabindex=\"0\"><table>";
  if (!table.caption.empty()) html += "<caption>" + escape_html(table.caption) + "</caption>";
  html += "<thead><tr>";
  for (const std::string& cell : table.head) html += "<th scope=\"col\">" + escape_html(cell) + "</th>";
  html += "</tr></thead><tbody>\n";
  for (const auto& row : table.rows) {
    html += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c)
      html += c == 0 ? "<th scope=\"row\">" + escape_html(row[c]) + "</th>" : "<td>" + escape_html(row[c]) + "</td>";
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string html_page(const std::string& title, const std::string& body, const std::string& scripts) {
  return fmt::format(R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,"><title>{0}</title>
<style>
{3}</style></head><body>
<h1>{0}</h1>
{1}{2}</body></html>
)",
                     escape_html(title), body, scripts, page_style);
}

}  // namespace fdtd::cli
