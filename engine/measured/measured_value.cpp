#include "engine/measured/measured_value.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/problem.hpp"
#include "base/utf8.hpp"
#include "engine/responses/band_metrics.hpp"
#include "engine/responses/octave_filter.hpp"

namespace fdtd {
namespace {

std::string in_small_letters(std::string_view text) {
  std::string small(text);
  for (char& c : small) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return small;
}

// The values that figures of rooms have; beyond them the unit is another one.
struct FigureRange {
  double low, high;
  const char* remedy;
};
constexpr FigureRange time_range{1e-3, 100.0, "decay times are in seconds"};
constexpr FigureRange level_range{-200.0, 200.0, "levels are in dB"};
constexpr FigureRange figure_ranges[main_figures] = {time_range,
                                                     time_range,
                                                     time_range,
                                                     level_range,
                                                     level_range,
                                                     {0.0, 1.0, "D50 is a fraction of 1: divide per cent by 100"},
                                                     {0.0, 5.0, "Ts is in seconds: divide milliseconds by 1000"},
                                                     level_range};

}  // namespace

std::optional<double> octave_of(double frequency) {
  for (const double nominal : nominal_octaves())
    if (std::abs(frequency - nominal) <= 0.011 * nominal) return nominal;
  return std::nullopt;
}

std::optional<std::size_t> figure_of(std::string_view name) {
  const std::string small = in_small_letters(name);
  for (std::size_t f = 0; f < main_figures; ++f)
    if (small == in_small_letters(named_figures[f].name)) return f;
  return std::nullopt;
}

std::string measured_figure_names() {
  std::string names;
  for (std::size_t f = 0; f < main_figures; ++f)
    names += (f == 0 ? "" : ", ") + in_small_letters(named_figures[f].name);
  return names;
}

std::string other_figures_remark(const std::set<std::string>& names) {
  std::string listed;
  for (const std::string& name : names) listed += (listed.empty() ? "" : ", ") + in_quotes(name);
  return listed.empty() ? ""
                        : fmt::format("figures that are not compared: {}; {} are", listed, measured_figure_names());
}

std::string value_fault(std::size_t figure, double value) {
  const FigureRange& range = figure_ranges[figure];
  if (value >= range.low && value <= range.high) return "";
  return fmt::format("{} = {:g} is not between {:g} and {:g}: {}", named_figures[figure].name, value, range.low,
                     range.high, range.remedy);
}

std::string name_fault(std::string_view name) {
  if (name.empty()) return "a name is empty";
  if (name.size() > max_measured_name) return fmt::format("a name has more than {} bytes", max_measured_name);
  return "";
}

}  // namespace fdtd
