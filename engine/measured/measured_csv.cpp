#include "engine/measured/measured_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/problem.hpp"
#include "base/text_table.hpp"
#include "engine/measured/measured_value.hpp"

namespace fdtd {
namespace {

// Places of the columns, in the order of column_names; npos: none.
constexpr const char* column_names[] = {"source", "receiver", "figure", "band", "value", "reason"};
constexpr std::size_t needed_columns = 5, all_columns = 6;
struct FigureColumns {
  std::array<std::size_t, all_columns> place{};
  std::size_t count = 0;
};

std::string read_column_names(const std::vector<std::string_view>& cells, FigureColumns& columns) {
  columns.count = cells.size();
  columns.place.fill(std::string_view::npos);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    std::string name(cells[i]);
    for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const auto* const known = std::ranges::find(column_names, name);
    if (known == std::end(column_names))
      return fmt::format("{} is not a known column: they are source, receiver, figure, band, value and perhaps reason",
                         in_quotes(name));
    std::size_t& place = columns.place[static_cast<std::size_t>(known - column_names)];
    if (place != std::string_view::npos) return fmt::format("the column {} appears twice", in_quotes(name));
    place = i;
  }
  for (std::size_t c = 0; c < needed_columns; ++c)
    if (columns.place[c] == std::string_view::npos)
      return fmt::format("the column {} is missing: the first line names source, receiver, figure, band, value",
                         in_quotes(column_names[c]));
  return "";
}

// The values of a table, by pair, octave and figure.
class FigureDraft {
 public:
  // Why a line is none of figures; empty: it is in.
  std::string add(const std::vector<std::string_view>& cells, const FigureColumns& columns) {
    const auto cell = [&](std::size_t column) {
      const std::size_t place = columns.place[column];
      return place == std::string_view::npos ? std::string_view() : cells[place];
    };
    for (const std::size_t name : {0, 1})
      if (const std::string fault = name_fault(cell(name)); !fault.empty())
        return std::string(column_names[name]) + ": " + fault;
    const auto figure = figure_of(cell(2));
    if (!figure) {
      others_.insert(shortened(cell(2), max_measured_name));
      return "";
    }
    const auto band = table_number(cell(3));
    if (!band) return "band: " + no_number(cell(3));
    const auto octave = octave_of(*band);
    if (!octave)
      return fmt::format(
          "{:g} Hz is no octave: they are 31.5, 63, 125, ..., 16000 Hz; of thirds give the figures of "
          "whole octaves",
          *band);
    Figure one{std::nullopt, cell(5).empty() ? "not stated in the measurement" : shortened(cell(5), 200)};
    if (!cell(4).empty()) {
      one = {table_number(cell(4)), ""};
      if (!one.value) return "value: " + no_number(cell(4));
      if (std::string fault = value_fault(*figure, *one.value); !fault.empty()) return fault;
    }
    const auto [pair, is_new] = numbers_.try_emplace({std::string(cell(0)), std::string(cell(1))}, pairs_.size());
    if (is_new) {
      if (pairs_.size() == max_measured_pairs) return fmt::format("more than {} pairs", max_measured_pairs);
      pairs_.emplace_back(pair->first, Values());
    }
    octaves_.insert(*octave);
    if (pairs_[pair->second].second.try_emplace({*octave, *figure}, std::move(one)).second) return "";
    return fmt::format("{} of {} at {} in {:g} Hz appears twice", named_figures[*figure].name, in_quotes(cell(0)),
                       in_quotes(cell(1)), *octave);
  }

  RoomFigures figures() const {
    RoomFigures all{{octaves_.begin(), octaves_.end()}, {}};
    OctaveFigures none;
    for (Figure& one : none) one.reason = "not stated in the measurement";
    for (const auto& [names, values] : pairs_) {
      PairFigures pair{names.first, names.second, std::vector(all.centres.size(), none)};
      for (const auto& [place, figure] : values) {
        const auto octave = std::ranges::lower_bound(all.centres, place.first) - all.centres.begin();
        pair.octaves[static_cast<std::size_t>(octave)][place.second] = figure;
      }
      all.pairs.push_back(std::move(pair));
    }
    if (!others_.empty()) all.remarks.push_back(other_figures_remark(others_));
    return all;
  }
  bool empty() const { return pairs_.empty(); }

 private:
  using Names = std::pair<std::string, std::string>;
  using Values = std::map<std::pair<double, std::size_t>, Figure>;  // by octave and figure
  std::vector<std::pair<Names, Values>> pairs_;                     // in the order of the table
  std::map<Names, std::size_t> numbers_;
  std::set<double> octaves_;
  std::set<std::string> others_;  // names of figures that are not compared
};

}  // namespace

std::optional<RoomFigures> read_measured_csv(std::string_view text, std::string& why) {
  if (why = table_encoding_fault(text); !why.empty()) return std::nullopt;
  TextTable table(text);
  FigureColumns columns;
  FigureDraft draft;
  std::vector<std::string_view> cells;
  while (table.next(cells)) {
    why = columns.count == 0              ? read_column_names(cells, columns)
          : cells.size() != columns.count ? cell_count_fault(cells.size(), columns.count, table.separator())
                                          : draft.add(cells, columns);
    if (why.empty()) continue;
    why = fmt::format("line {}: {}", table.line(), why);
    return std::nullopt;
  }
  if (!draft.empty()) return draft.figures();
  why = "no line of figures";
  return std::nullopt;
}

}  // namespace fdtd
