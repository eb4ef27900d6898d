#include "scenes/path_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "base/problem.hpp"
#include "base/text_table.hpp"

namespace fdtd {
namespace {

constexpr std::array<const char*, 5> path_columns = {"t", "x", "y", "z", "yaw"};
constexpr std::size_t path_columns_needed = 4;
constexpr std::size_t no_column = std::string_view::npos;
constexpr double farthest = 1e6;  // s, m and degrees

struct PathColumns {
  std::array<std::size_t, path_columns.size()> place{};
  std::size_t count = 0;
};

std::string read_path_head(const std::vector<std::string_view>& cells, PathColumns& columns) {
  columns.count = cells.size();
  columns.place.fill(no_column);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    std::string name(cells[i]);
    for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const auto* const known = std::ranges::find(path_columns, name);
    if (known == path_columns.end())
      return fmt::format("{} is not a known column: the first line names t (s), x, y, z (m) and perhaps yaw (degrees)",
                         in_quotes(name));
    std::size_t& place = columns.place[static_cast<std::size_t>(known - path_columns.begin())];
    if (place != no_column) return fmt::format("the column {} appears twice", in_quotes(name));
    place = i;
  }
  for (std::size_t c = 0; c < path_columns_needed; ++c)
    if (columns.place[c] == no_column)
      return fmt::format("the column {} is missing: the first line names t (s), x, y, z (m) and perhaps yaw (degrees)",
                         in_quotes(path_columns[c]));
  return "";
}

std::string read_path_row(const std::vector<std::string_view>& cells, const PathColumns& columns,
                          std::vector<PathRow>& rows, int line) {
  std::array<double, path_columns.size()> values{};
  for (std::size_t c = 0; c < path_columns.size(); ++c) {
    if (columns.place[c] == no_column) continue;
    const std::string_view cell = cells[columns.place[c]];
    const auto value = table_number(cell);
    if (!value) return fmt::format("{}: {}", path_columns[c], no_number(cell));
    if (!(std::abs(*value) <= farthest))
      return fmt::format("{}: {:g} is beyond {:g}", path_columns[c], *value, farthest);
    values[c] = *value;
  }
  if (!rows.empty() && !(values[0] > rows.back().time))
    return fmt::format("times must increase: {:g} follows {:g} s", values[0], rows.back().time);
  if (rows.size() >= most_path_rows) return fmt::format("more than {} rows", most_path_rows);
  rows.push_back({values[0], {values[1], values[2], values[3]}, values[4], line});
  return "";
}

}  // namespace

std::optional<Path> read_path(std::string_view text, std::string& why) {
  if (why = table_encoding_fault(text); !why.empty()) return std::nullopt;
  TextTable table(text);
  PathColumns columns;
  std::vector<PathRow> rows;
  std::vector<std::string_view> cells;
  while (table.next(cells)) {
    why = columns.count == 0              ? read_path_head(cells, columns)
          : cells.size() != columns.count ? cell_count_fault(cells.size(), columns.count, table.separator())
                                          : read_path_row(cells, columns, rows, table.line());
    if (why.empty()) continue;
    why = fmt::format("line {}: {}", table.line(), why);
    return std::nullopt;
  }
  if (!rows.empty()) return Path(std::move(rows));
  why = "no row of a path: t, x, y, z";
  return std::nullopt;
}

}  // namespace fdtd
