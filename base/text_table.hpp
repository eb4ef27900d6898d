// Tables as text (CSV): lines of cells with a head line, parted by semicolons, tabs, commas or blanks.
//
// A separator in double quotes parts nothing, and quotes around a cell fall away. Empty lines, lines that begin with #
// and the line "sep=" of spreadsheets are skipped, and so is a byte order mark. Where semicolons, tabs or blanks part the
// cells a number may have a decimal comma.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fdtd {

class TextTable {
 public:
  // `text` must outlive the table and its cells.
  explicit TextTable(std::string_view text);
  // The cells of the next line, the head line first; false at the end.
  bool next(std::vector<std::string_view>& cells);
  int line() const { return line_; }             // of the last cells, from 1
  char separator() const { return separator_; }  // likewise

 private:
  std::string_view rest_;
  int line_ = 0;
  bool head_ = true, blanks_ = false;  // blanks part the cells of the head line
  char separator_ = ' ';
};

// Why a text cannot be read as a table at all; empty: it can.
std::string table_encoding_fault(std::string_view text);

// A finite number with a decimal point, or with one decimal comma; nothing for anything else.
std::optional<double> table_number(std::string_view cell);
// Why a cell is no number, with what to do.
std::string no_number(std::string_view cell);
// Why a line has more or fewer cells than the head line.
std::string cell_count_fault(std::size_t cells, std::size_t head, char separator);
// "1,000" and "1.000" may be one or a thousand.
bool like_thousands(std::string_view cell);

}  // namespace fdtd
