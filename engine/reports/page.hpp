// Self-contained HTML pages: no network, no external fonts, for screens of every size, dark mode and print.
#pragma once

#include <string>
#include <vector>

namespace fdtd {

// Text escaped for use between tags and inside quoted attributes.
std::string escape_html(const std::string& text);

struct Table {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;  // plain text, escaped by to_html
  std::string caption = {};                    // empty: none
};
std::string to_html(const Table& table);

// A whole document: the title as heading, then `body` (HTML), then `scripts` (HTML). Its content security policy
// forbids the browser to fetch anything.
std::string html_page(const std::string& title, const std::string& body, const std::string& scripts = "");

}  // namespace fdtd
