#include "scenes/array_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "base/problem.hpp"
#include "base/text_table.hpp"

namespace fdtd {
namespace {

constexpr std::array<std::string_view, 5> array_columns = {"x", "y", "z", "weight", "name"};
constexpr std::size_t positions = 3, weight_column = 3, name_column = 4;
constexpr const char* columns_wanted =
    "the first line must name the columns x, y and z, in m, and perhaps weight and name";
constexpr double farthest = 100.0;                              // m
constexpr double smallest_weight = 1e-6, largest_weight = 1e6;  // of a channel's response

class ArrayReader {
 public:
  explicit ArrayReader(NameFault name_fault) : name_fault_(name_fault) {}

  std::string head(const std::vector<std::string_view>& cells) {
    count_ = cells.size();
    places_.fill(std::string_view::npos);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const auto* const known = std::ranges::find(array_columns, cells[i]);
      if (known == array_columns.end())
        return fmt::format("{} is not a known column: {}", in_quotes(std::string(cells[i])), columns_wanted);
      std::size_t& place = places_[static_cast<std::size_t>(known - array_columns.begin())];
      if (place != std::string_view::npos)
        return fmt::format("the column {} appears twice", in_quotes(std::string(cells[i])));
      place = i;
    }
    return std::ranges::any_of(places_.begin(), places_.begin() + positions,
                               [](std::size_t place) { return place == std::string_view::npos; })
               ? columns_wanted
               : "";
  }

  std::string row(const std::vector<std::string_view>& cells, char separator, std::vector<Microphone>& all) {
    if (cells.size() != count_) return cell_count_fault(cells.size(), count_, separator);
    Microphone one;
    std::string fault = position_of(cells, one, all);
    if (fault.empty() && has(weight_column)) fault = weight_of(cells[places_[weight_column]], one);
    if (fault.empty() && has(name_column)) fault = name_of(cells[places_[name_column]], one);
    if (!fault.empty()) return fault;
    if (all.size() == max_microphones) return fmt::format("more than {} microphones", max_microphones);
    all.push_back(std::move(one));
    return "";
  }

 private:
  bool has(std::size_t column) const { return places_[column] != std::string_view::npos; }

  std::string position_of(const std::vector<std::string_view>& cells, Microphone& one,
                          const std::vector<Microphone>& all) const {
    for (std::size_t d = 0; d < positions; ++d) {
      const auto number = table_number(cells[places_[d]]);
      if (!number) return no_number(cells[places_[d]]);
      if (std::abs(*number) > farthest) return fmt::format("{:g} m is farther than {:g} m", *number, farthest);
      one.position[d] = *number;
    }
    return std::ranges::find(all, one.position, &Microphone::position) != all.end()
               ? "a microphone at this place is listed before"
               : "";
  }

  static std::string weight_of(std::string_view cell, Microphone& one) {
    const auto number = table_number(cell);
    if (!number) return "weight: " + no_number(cell);
    if (*number == 0.0) return "a weight of 0 leaves nothing of the channel: leave this line out";
    if (std::abs(*number) < smallest_weight || std::abs(*number) > largest_weight)
      return fmt::format("a weight of {:g} is not between {:g} and {:g}, with either sign", *number, smallest_weight,
                         largest_weight);
    one.weight = *number;
    return "";
  }

  std::string name_of(std::string_view cell, Microphone& one) {
    one.name = cell;
    if (const std::string why = name_fault_(cell); !why.empty())
      return fmt::format("the name {} {}", in_quotes(one.name), why);
    if (!names_.insert(one.name).second) return fmt::format("a microphone {} is listed before", in_quotes(one.name));
    return "";
  }

  NameFault name_fault_;
  std::size_t count_ = 0;
  std::array<std::size_t, array_columns.size()> places_{};
  std::set<std::string> names_;
};

}  // namespace

ArrayText read_array_text(std::string_view text, NameFault name_fault) {
  ArrayText read;
  if (read.fault = table_encoding_fault(text); !read.fault.empty()) return read;
  TextTable table(text);
  std::vector<std::string_view> cells;
  ArrayReader reader(name_fault);
  for (bool head = true; table.next(cells); head = false) {
    read.fault = head ? reader.head(cells) : reader.row(cells, table.separator(), read.microphones);
    read.line = table.line();
    if (!read.fault.empty()) return read;
  }
  read.line = 0;
  if (read.microphones.empty()) read.fault = "no microphone";
  return read;
}

}  // namespace fdtd
