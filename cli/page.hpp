// Self-contained HTML: no network, no font from elsewhere, readable on a phone, in the dark and on paper.
#pragma once

#include <string>
#include <vector>

namespace fdtd::cli {

// Text as it may stand between tags and inside quoted attributes.
std::string escape_html(const std::string& text);

struct Table {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;  // text, escaped on the way out
  std::string caption = {};                    // empty: none
};
std::string to_html(const Table& table);

// A whole document: the title as heading, then `body` (HTML), then `scripts` (HTML). Its policy forbids the browser to
// fetch anything, so the page cannot even by mistake.
std::string html_page(const std::string& title, const std::string& body, const std::string& scripts = "");

}  // namespace fdtd::cli
