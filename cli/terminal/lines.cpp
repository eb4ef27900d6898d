#include "cli/terminal/lines.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/utf8.hpp"

namespace fdtd::cli {
namespace {

constexpr std::size_t usual_columns = 80, fewest_columns = 40;

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t at = 0; at < text.size(); at += glyph_at(text, at).bytes) ++columns;
  return columns;
}

// " 12 | text" and "    | ^^^".
bool is_quotation(std::string_view line) {
  const std::size_t bar = line.find_first_not_of(" 0123456789");
  return bar != line.npos && bar > 0 && line[bar] == '|' && line[bar - 1] == ' ';
}

// Where a line goes on: under what follows the first gap of two blanks, if there is one on its left.
std::size_t indent_of(std::string_view line, std::size_t columns) {
  const std::size_t begin = line.find_first_not_of(' ');
  const std::size_t gap = line.find("  ", begin), value = line.find_first_not_of(' ', gap);
  if (gap != line.npos && value != line.npos && columns_of(line.substr(0, value)) <= columns / 2)
    return columns_of(line.substr(0, value));
  return std::min(begin + 2, columns / 2);
}

// The end of the word that begins at `word`; a number keeps its unit.
std::size_t end_of_word(std::string_view line, std::size_t word) {
  constexpr std::array<std::string_view, 14> units = {"Hz", "kHz", "s",  "ms", "us", "min", "h",
                                                      "m",  "mm",  "dB", "%",  "kB", "MB",  "GB"};
  const std::size_t end = std::min(line.find(' ', word), line.size());
  if (end + 1 >= line.size() || line[end - 1] < '0' || line[end - 1] > '9') return end;
  const std::size_t next = std::min(line.find_first_of(" ,;:.)", end + 1), line.size());
  const bool unit = std::ranges::find(units, line.substr(end + 1, next - end - 1)) != units.end();
  return unit ? std::min(line.find(' ', end + 1), line.size()) : end;
}

void append_line(std::string& out, std::string_view line, std::size_t columns) {
  const bool fits = line.size() <= columns || columns_of(line) <= columns;
  if (fits || is_quotation(line) || line.find_first_not_of(' ') == line.npos) {
    out += line;
    return;
  }
  const std::size_t indent = indent_of(line, columns);
  std::size_t begin = 0, used = 0;  // `used`: columns of the line that is being made, with its indent
  bool first = true;
  while (begin < line.size()) {
    const std::size_t word = line.find_first_not_of(' ', begin);
    if (word == line.npos) break;
    const std::size_t end = end_of_word(line, word);
    const std::size_t blanks = word - begin, width = columns_of(line.substr(word, end - word));
    if (!first && used + blanks + width > columns) {
      out += '\n' + std::string(indent, ' ');
      used = indent;
    } else {
      out.append(blanks, ' ');
      used += blanks;
    }
    out += line.substr(word, end - word);
    used += width;
    begin = end;
    first = false;
  }
}

}  // namespace

std::size_t line_columns() {
  const char* const text = std::getenv("COLUMNS");
  if (text == nullptr || *text == '\0') return usual_columns;
  char* end = nullptr;
  const long columns = std::strtol(text, &end, 10);
  const bool number = *end == '\0' && columns >= static_cast<long>(fewest_columns);
  return number ? static_cast<std::size_t>(columns) : usual_columns;
}

std::string in_columns(std::string_view text, std::size_t columns) {
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    append_line(out, text.substr(begin, end - begin), columns);
    if (end < text.size()) out += '\n';
    begin = end + 1;
  }
  return out;
}

std::string_view cut_to(std::string_view line, std::size_t columns) {
  std::size_t at = 0;
  for (std::size_t count = 0; at < line.size() && count < columns; ++count) at += glyph_at(line, at).bytes;
  return line.substr(0, at);
}

}  // namespace fdtd::cli
