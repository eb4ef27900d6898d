#include "base/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/problem.hpp"

namespace fdtd {
namespace {

// The separator of a line's cells. Semicolons and tabs come first: in their files a comma is a decimal one.
char separator_of(std::string_view line) {
  for (const char one : {';', '\t', ','})
    if (line.find(one) != line.npos) return one;
  return ' ';
}

std::string_view bare_cell(std::string_view cell) {
  constexpr std::string_view blank = " \t\"\r";
  const auto begin = cell.find_first_not_of(blank), end = cell.find_last_not_of(blank);
  return begin == cell.npos ? std::string_view() : cell.substr(begin, end - begin + 1);
}

// A separator in quotes parts nothing.
std::vector<std::string_view> cells_of(std::string_view line, char separator) {
  std::vector<std::string_view> cells;
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    if (i < line.size() && line[i] == '"') quoted = !quoted;
    if (i < line.size() && (quoted || line[i] != separator)) continue;
    const std::string_view cell = bare_cell(line.substr(begin, i - begin));
    if (separator != ' ' || !cell.empty()) cells.push_back(cell);
    begin = i + 1;
  }
  return cells;
}

}  // namespace

TextTable::TextTable(std::string_view text) : rest_(text) {
  if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
}

bool TextTable::next(std::vector<std::string_view>& cells) {
  while (!rest_.empty()) {
    const auto end = rest_.find('\n');
    std::string_view one = rest_.substr(0, end);
    rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 1);
    ++line_;
    while (!one.empty() && (one.back() == '\r' || one.back() == ' ')) one.remove_suffix(1);
    if (one.empty() || one.front() == '#' || (head_ && one.starts_with("sep="))) continue;
    separator_ = separator_of(one);
    if (head_) blanks_ = separator_ == ' ';
    if (blanks_ && separator_ == ',') separator_ = ' ';
    head_ = false;
    cells = cells_of(one, separator_);
    return true;
  }
  return false;
}

std::string table_encoding_fault(std::string_view text) {
  return text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF") ? "UTF-16 text: save it as UTF-8" : "";
}

std::optional<double> table_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  std::string with_point(text);
  if (std::ranges::count(text, ',') == 1 && text.find('.') == text.npos) with_point[text.find(',')] = '.';
  double value = 0.0;
  const char* const last = with_point.data() + with_point.size();
  const auto [end, error] = std::from_chars(with_point.data(), last, value);
  if (error != std::errc() || end != last || !std::isfinite(value)) return std::nullopt;
  return value;
}

bool like_thousands(std::string_view cell) {
  const auto mark = cell.find_first_of(",.");
  return mark != cell.npos && mark >= 1 && mark <= 3 && cell.size() - mark == 4 && cell.front() != '0';
}

std::string no_number(std::string_view cell) {
  const bool per_cent = cell.ends_with('%') && table_number(bare_cell(cell.substr(0, cell.size() - 1)));
  return fmt::format(
      "{} is not a number{}", in_quotes(cell),
      per_cent ? ": divide per cent by 100, as in 0.45" : ": write it with a decimal point, without spaces or units");
}

std::string cell_count_fault(std::size_t cells, std::size_t head, char separator) {
  return fmt::format(
      "{} columns instead of the {} of the first line{}", cells, head,
      separator == ',' && cells > head
          ? ": commas part columns; write decimals with a point, as in 0.45, or part columns by semicolons"
          : "");
}

}  // namespace fdtd
