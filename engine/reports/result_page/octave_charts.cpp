#include "engine/reports/result_page/octave_charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "engine/reports/metrics_report.hpp"
#include "engine/reports/page.hpp"
#include "engine/reports/plot.hpp"

namespace fdtd {
namespace {

constexpr std::size_t charted[] = {0, 1, 2, 4};  // EDT, T20, T30, C80
constexpr std::size_t most_lines = 6;            // more responses are their mean and range

const FigureTarget* target_of(const std::optional<UseTargets>& targets, std::size_t figure) {
  if (!targets) return nullptr;
  const auto found = std::ranges::find(targets->figures, figure, &FigureTarget::figure);
  return found == targets->figures.end() ? nullptr : &*found;
}

Plot empty_chart(std::size_t figure, const std::vector<double>& octaves, const std::optional<UseTargets>& targets) {
  const NamedFigure& named = named_figures[figure];
  Plot plot;
  plot.title = fmt::format("{} by octave", named.name);
  plot.width = 480.0, plot.height = 300.0;
  plot.x = {"octave, Hz", true, 0.75 * octaves.front(), 1.35 * octaves.back(), octaves};
  plot.y = {fmt::format("{}, {}", named.name, named.unit)};
  plot.legend_above = true;
  if (const FigureTarget* target = target_of(targets, figure)) {
    PlotRange range{targets->source, {}, 2};
    for (const auto& one : target->band)
      if (one[0] >= octaves.front() && one[0] <= octaves.back()) range.points.push_back(one);
    if (!range.points.empty()) plot.ranges.push_back(range);
  }
  return plot;
}

// Spreads by octave of one figure; nothing where fewer than `fewest` responses have it.
struct ShownSpreads {
  std::vector<std::pair<double, std::optional<Spread>>> octaves;  // Hz
  std::size_t least = 0, most = 0;                                // responses that have it

  ShownSpreads(const std::vector<ShownFigures>& all, std::size_t figure, const std::vector<double>& centres,
               std::size_t fewest) {
    for (const double centre : centres) {
      const Spread spread = spread_of(all, figure, centre);
      const bool shown = spread.count >= fewest;
      octaves.emplace_back(centre, shown ? std::optional(spread) : std::nullopt);
      if (!shown) continue;
      least = least == 0 ? spread.count : std::min(least, spread.count);
      most = std::max(most, spread.count);
    }
  }
  std::string counts() const { return least == most ? fmt::format("{}", most) : fmt::format("{} to {}", least, most); }
};

Series means_of(const ShownSpreads& spreads) {
  Series series{"", {}, false, true};
  for (const auto& [centre, spread] : spreads.octaves)
    series.points.emplace_back(centre, spread ? spread->mean : std::nan(""));  // a gap of the line
  if (std::ranges::none_of(series.points, [](const auto& one) { return std::isfinite(one.second); }))
    series.points.clear();
  return series;
}

std::string words_of(const Series& series, std::size_t figure) {
  std::string words;
  for (const auto& [centre, value] : series.points)
    if (std::isfinite(value))
      words += fmt::format("{}{:g} Hz {} {}", words.empty() ? "" : ", ", centre, figure_text(figure, value),
                           named_figures[figure].unit);
  return words;
}

std::string chart_of(const std::vector<ShownFigures>& all, std::size_t figure, const std::vector<double>& octaves,
                     const std::optional<UseTargets>& targets) {
  Plot plot = empty_chart(figure, octaves, targets);
  const ShownSpreads spreads(all, figure, octaves, fewest_of_mean(all.size()));
  Series mean = means_of(spreads);
  if (mean.points.empty() && all.size() > most_lines) return "";
  plot.about = named_figures[figure].name;
  if (mean.points.empty())
    plot.about += ": fewer than half of the responses have it";
  else if (all.size() > 1)
    plot.about += fmt::format(", mean of {} of {} responses", spreads.counts(), all.size());
  if (!mean.points.empty()) plot.about += ": " + words_of(mean, figure);
  if (all.size() <= most_lines) {
    bool any = false;
    for (const ShownFigures& one : all) {
      Series series{one.source + " at " + one.receiver, {}, false, true};
      for (const double centre : octaves) series.points.emplace_back(centre, value_at(one, figure, centre));
      any = any || std::ranges::any_of(series.points, [](const auto& point) { return std::isfinite(point.second); });
      plot.series.push_back(series);
    }
    if (!any) return "";
  } else {
    PlotRange range{fmt::format("least to largest of {}", spreads.counts()), {}, 0};
    for (const auto& [centre, spread] : spreads.octaves)
      if (spread) range.points.push_back({centre, spread->low, spread->high});
    plot.ranges.push_back(range);
    mean.name = "mean";
    plot.series.push_back(mean);
  }
  return to_svg(plot);
}

const char* verdict(double value, double low, double high) {
  if (value < low) return "below";
  return value > high ? "above" : "met";
}

std::string folded(const Table& table, const char* summary) {
  return fmt::format("<details><summary>{}</summary>\n{}</details>\n", summary, to_html(table));
}

// The means over responses beside the target: in which octaves it is met, then octave by octave.
std::string octave_verdicts(const std::vector<ShownFigures>& all, const UseTargets& targets, std::string& sentences) {
  Table table{{"figure", "octave Hz", "mean", "from", "to", "target"}, {}};
  table.caption = "Means beside " + targets.source;
  for (const FigureTarget& target : targets.figures) {
    std::map<std::string, std::string> octaves;
    for (const auto& [centre, low, high] : target.band) {
      const Spread spread = spread_of(all, target.figure, centre);
      if (spread.count < fewest_of_mean(all.size())) continue;
      const char* found = verdict(spread.mean, low, high);
      octaves[found] += fmt::format("{}{:g}", octaves[found].empty() ? "" : ", ", centre);
      table.rows.push_back({named_figures[target.figure].name, fmt::format("{:g}", centre),
                            figure_text(target.figure, spread.mean), figure_text(target.figure, low),
                            figure_text(target.figure, high), found});
    }
    std::string parts;
    for (const char* found : {"met", "below", "above"})
      if (!octaves[found].empty())
        parts += fmt::format("{}{} at {} Hz", parts.empty() ? "" : "; ", found, octaves[found]);
    if (!parts.empty()) sentences += fmt::format("<br>Mean {}: {}.", named_figures[target.figure].name, parts);
  }
  return table.rows.empty() ? "" : folded(table, "Octave by octave");
}

// The mean over the octaves of a range at each response: how many are within it.
std::string position_verdicts(const std::vector<ShownFigures>& all, const UseTargets& targets, std::string& sentences) {
  Table table{{"figure", "from", "to", "below", "within", "above"}, {}};
  table.caption = "Responses beside " + targets.source;
  for (const FigureTarget& target : targets.figures) {
    const double low = target.band.front()[1], high = target.band.front()[2];
    std::map<std::string, std::size_t> counts;
    for (const ShownFigures& one : all) {
      double mean = 0.0;
      for (const auto& octave : target.band)
        mean += value_at(one, target.figure, octave[0]) / static_cast<double>(target.band.size());
      if (std::isfinite(mean)) ++counts[verdict(mean, low, high)];
    }
    const std::size_t below = counts["below"], within = counts["met"], above = counts["above"];
    if (below + within + above == 0) continue;
    table.rows.push_back({named_figures[target.figure].name, figure_text(target.figure, low),
                          figure_text(target.figure, high), fmt::format("{}", below), fmt::format("{}", within),
                          fmt::format("{}", above)});
    sentences += fmt::format("<br>{}: within the range at {} of {} responses.", named_figures[target.figure].name,
                             within, below + within + above);
  }
  return table.rows.empty() ? "" : folded(table, "Figure by figure");
}

std::string verdicts_html(const std::vector<ShownFigures>& all, const UseTargets& targets) {
  std::string sentences = escape_html(targets.about) + ".";
  const std::string table =
      targets.single_positions ? position_verdicts(all, targets, sentences) : octave_verdicts(all, targets, sentences);
  if (table.empty() && !targets.figures.empty())
    sentences += " No octave of the responses has both a figure and a target.";
  return "<p>" + sentences + "</p>\n" + table;
}

}  // namespace

std::string octave_charts_html(const std::vector<ShownFigures>& all, const std::optional<UseTargets>& targets) {
  const std::vector<double> octaves = octaves_of(all);
  std::string charts;
  if (!octaves.empty())
    for (const std::size_t figure : charted) charts += chart_of(all, figure, octaves, targets);
  if (charts.empty() && !targets) return "";
  std::string html = "<h2>Figures by octave</h2>\n";
  if (!charts.empty()) html += "<div class=\"plots\">\n" + charts + "</div>\n";
  return html + (targets ? verdicts_html(all, *targets) : "");
}

std::string overlaid_charts_html(const std::vector<NamedFigures>& results, const std::optional<UseTargets>& targets) {
  std::vector<ShownFigures> together;
  for (const NamedFigures& one : results) together.insert(together.end(), one.all.begin(), one.all.end());
  const std::vector<double> octaves = octaves_of(together);
  std::string charts;
  for (const std::size_t figure : charted) {
    if (octaves.empty()) break;
    Plot plot = empty_chart(figure, octaves, targets);
    bool drawn = false;
    for (const NamedFigures& one : results) {
      const ShownSpreads spreads(one.all, figure, octaves, 1);
      Series mean = means_of(spreads);
      drawn = drawn || !mean.points.empty();
      plot.about += fmt::format("{}{}: {}", plot.about.empty() ? "" : "; ", one.name, words_of(mean, figure));
      mean.name = fmt::format("{}, mean of {}", one.name, spreads.counts());
      mean.dashed = !plot.series.empty();
      plot.series.push_back(mean);
    }
    if (drawn) charts += to_svg(plot);
  }
  if (charts.empty()) return "";
  std::string html = "<h2>Figures by octave</h2>\n<div class=\"plots\">\n" + charts + "</div>\n";
  if (targets) html += "<p>" + escape_html(targets->about) + ".</p>\n";
  return html;
}

}  // namespace fdtd
