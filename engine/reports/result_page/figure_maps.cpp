#include "engine/reports/result_page/figure_maps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>

#include "engine/pictures/colour_map.hpp"
#include "engine/reports/headline.hpp"
#include "engine/reports/metrics_report.hpp"
#include "engine/reports/page.hpp"
#include "engine/reports/plot.hpp"
#include "engine/reports/result_page/floor_plan.hpp"
#include "engine/reports/result_page/map_cells.hpp"

namespace fdtd {
namespace {

constexpr std::size_t most_maps = 4;                       // sources and heights
constexpr std::size_t fewest = 6, most_receivers = 20000;  // of a map
constexpr double same = 2e-3;                              // m: coordinates that are one
constexpr int map_colours = 32;
constexpr std::size_t mapped[] = {0, 1, 2, 3, 4, 5, 6, 7};  // of named_figures: all main ones

// The step of a grid along one axis.
std::optional<double> step_of(std::vector<double> at) {
  std::ranges::sort(at);
  double step = HUGE_VAL;
  for (std::size_t i = 1; i < at.size(); ++i)
    if (const double gap = at[i] - at[i - 1]; gap > same) step = std::min(step, gap);
  if (!std::isfinite(step)) return std::nullopt;
  for (const double one : at) {
    const double steps = (one - at.front()) / step;
    if (std::abs(steps - std::round(steps)) * step > std::max(same, 0.1 * step)) return std::nullopt;
  }
  return step;
}

// Receivers at one height that hear one source.
struct Level {
  std::string source;
  std::string name;     // of the scene's grid; empty: receivers of several names
  double height = 0.0;  // m
  std::vector<const ShownFigures*> receivers;
  std::array<double, 2> step{};        // m
  std::vector<CellRectangle> cells{};  // one a receiver
};

bool forms_grid(Level& level) {
  if (level.receivers.size() < fewest || level.receivers.size() > most_receivers) return false;
  double places = 1.0;
  for (std::size_t d = 0; d < 2; ++d) {
    std::vector<double> at;
    for (const ShownFigures* one : level.receivers) at.push_back(one->at[d]);
    const auto [low, high] = std::ranges::minmax(at);
    const std::optional<double> step = step_of(std::move(at));
    if (!step) return false;
    level.step[d] = *step;
    places *= std::round((high - low) / *step) + 1.0;
  }
  return 3.0 * static_cast<double>(level.receivers.size()) >= places;
}

// Of a receiver of a grid, NAME_07, its name.
std::string grid_name(const std::string& receiver) {
  const std::size_t last = receiver.find_last_not_of("0123456789");
  if (last == receiver.npos || last + 1 == receiver.size() || receiver[last] != '_') return "";
  return receiver.substr(0, last);
}

// The grids at one height: those of the scene, and what all other receivers make.
std::vector<Level> grids_of(const Level& all) {
  std::vector<std::string> names;
  std::map<std::string, Level> named;
  for (const ShownFigures* one : all.receivers) {
    const std::string name = grid_name(one->receiver);
    Level& level = named[name];
    if (level.receivers.empty()) names.push_back(name);
    level.source = all.source, level.height = all.height, level.name = name;
    level.receivers.push_back(one);
  }
  std::vector<Level> grids;
  Level others{all.source, "", all.height, {}};
  for (const std::string& name : names) {
    Level& level = named[name];
    if (!name.empty() && forms_grid(level))
      grids.push_back(std::move(level));
    else
      others.receivers.insert(others.receivers.end(), level.receivers.begin(), level.receivers.end());
  }
  if (forms_grid(others)) grids.push_back(std::move(others));
  return grids;
}

std::vector<Level> levels_of(const std::vector<ShownFigures>& all) {
  std::map<std::pair<std::string, std::int64_t>, Level> found;
  for (const ShownFigures& one : all) {
    if (!one.placed) continue;
    Level& level = found[{one.source, std::llround(one.at[2] / (5.0 * same))}];
    level.source = one.source, level.height = one.at[2];
    level.receivers.push_back(&one);
  }
  std::vector<Level> levels;
  for (const auto& [key, level] : found) std::ranges::move(grids_of(level), std::back_inserter(levels));
  return levels;
}

struct MapValue {
  CellRectangle cell;
  double value;
};

// As tables show them: D50 in per cent, Ts in milliseconds.
std::pair<double, const char*> shown_unit(std::size_t figure) {
  const std::string name = named_figures[figure].name;
  if (name == "D50") return {100.0, "%"};
  if (name == "Ts") return {1000.0, "ms"};
  return {1.0, named_figures[figure].unit};
}

// The octaves whose mean a map shows: those of single numbers, else the one in which most receivers have the figure, of
// several the highest.
struct Shown {
  std::vector<double> centres;
  std::string name;
};

Shown octaves_shown(const Level& level, std::size_t figure) {
  const auto holds = [&](const ShownFigures& one, const std::vector<double>& centres) {
    return std::ranges::all_of(centres, [&](double c) { return std::isfinite(value_at(one, figure, c)); });
  };
  const auto holding = [&](const std::vector<double>& centres) {
    return std::ranges::count_if(level.receivers, [&](const ShownFigures* one) { return holds(*one, centres); });
  };
  const std::vector<double>& all = level.receivers.front()->octaves.centres;
  if (const OctaveRange mid = mid_octaves(all); !mid.bands.empty()) {
    std::vector<double> centres;
    for (const std::size_t band : mid.bands) centres.push_back(all[band]);
    if (2 * holding(centres) >= static_cast<std::ptrdiff_t>(level.receivers.size())) return {centres, mid.name};
  }
  std::ptrdiff_t most = 0;
  Shown shown;
  for (const double centre : all)
    if (const auto count = holding({centre}); centre > 0.0 && count > 0 && count >= most)
      most = count, shown = {{centre}, fmt::format("{:g} Hz", centre)};
  return shown;
}

std::string map_of(const Result& result, const Level& level, std::size_t figure) {
  const auto [factor, unit] = shown_unit(figure);
  const Shown octaves = octaves_shown(level, figure);
  if (octaves.centres.empty()) return "";
  std::vector<MapValue> values;
  double low = HUGE_VAL, high = -HUGE_VAL;
  CellRectangle bounds{{HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL}};
  for (std::size_t i = 0; i < level.cells.size(); ++i) {
    const CellRectangle& cell = level.cells[i];
    for (std::size_t d = 0; d < 2; ++d)
      bounds.low[d] = std::min(bounds.low[d], cell.low[d]), bounds.high[d] = std::max(bounds.high[d], cell.high[d]);
    double value = 0.0;
    for (const double centre : octaves.centres)
      value += factor * value_at(*level.receivers[i], figure, centre) / static_cast<double>(octaves.centres.size());
    if (!std::isfinite(value)) continue;
    values.push_back({cell, value});
    low = std::min(low, value), high = std::max(high, value);
  }
  if (values.size() < fewest) return "";
  Plot plot = floor_plan(result, fmt::format("{}, {}, {}", named_figures[figure].name, unit, octaves.name), bounds.low,
                         bounds.high, true);
  plot.about =
      fmt::format("Map of {} ({}) of {} over {} receivers {:.2f} m high: {:.4g} to {:.4g} {}",
                  named_figures[figure].name, octaves.name, level.source, values.size(), level.height, low, high, unit);
  if (!(high > low)) low -= 0.5, high += 0.5;
  const std::vector<Colour> scale = sequential_colours(map_colours);
  for (const Colour& colour : scale) plot.bar.push_back(css(colour)), plot.cells.push_back({css(colour), {}});
  for (const MapValue& one : values)
    plot.cells[static_cast<std::size_t>(std::lround((one.value - low) / (high - low) * (map_colours - 1)))]
        .rectangles.push_back(one.cell);
  plot.bar_values = {low, high};
  for (std::size_t s = 0; s < result.recording.sources.size() && s < result.source_positions.size(); ++s)
    if (result.recording.sources[s].output() && result.recording.sources[s].owner == level.source) {
      const auto& at = result.source_positions[s];
      plot.series.push_back({level.source, {{at[0], at[1]}}, false, true, 1});
    }
  return to_svg(plot);
}

}  // namespace

std::string figure_maps_html(const Result& result, const std::vector<ShownFigures>& all) {
  std::vector<Level> levels = levels_of(all);
  if (levels.empty()) return "";
  const std::size_t found = levels.size();
  levels.resize(std::min(found, most_maps));
  std::string html;
  for (Level& level : levels) {
    std::vector<std::array<double, 2>> places;
    for (const ShownFigures* one : level.receivers) places.push_back({one->at[0], one->at[1]});
    level.cells = map_cells(result.surface, places, level.height, level.step);
    std::string maps;
    for (const std::size_t figure : mapped) maps += map_of(result, level, figure);
    if (!maps.empty())
      html += fmt::format("<h3>{} at {} receivers{}, {:.2f} m high</h3>\n<div class=\"plots\">\n{}</div>\n",
                          escape_html(level.source), level.receivers.size(),
                          level.name.empty() ? "" : " of " + escape_html(level.name), level.height, maps);
  }
  if (html.empty()) return "";
  html = "<h2>Maps</h2>\n<p class=\"quiet\">Seen from above, a cell a receiver; cells end at walls.</p>\n" + html;
  if (found > levels.size())
    html += fmt::format("<p>Maps of the first {} of {} sources and heights.</p>\n", levels.size(), found);
  return html;
}

}  // namespace fdtd
