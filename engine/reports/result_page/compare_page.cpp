#include "engine/reports/result_page/compare_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "engine/measured/match.hpp"
#include "engine/reports/match_report.hpp"
#include "engine/reports/metrics_report.hpp"
#include "engine/reports/page.hpp"
#include "engine/reports/result_page/octave_charts.hpp"
#include "engine/reports/result_page/report_plots.hpp"
#include "engine/reports/result_page/report_room.hpp"
#include "engine/reports/result_page/shown_figures.hpp"
#include "engine/reports/result_page/targets.hpp"
#include "engine/reports/run_report.hpp"

namespace fdtd {
namespace {

constexpr std::size_t most_pairs = 8;      // with plots and a table of their own
constexpr std::size_t decay_points = 150;  // of a curve

bool chosen(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::ranges::find(names, name) != names.end();
}

RoomFigures chosen_figures(const Result& result, const ReportChoice& choice) {
  RoomFigures figures = room_figures(result);
  std::erase_if(figures.pairs, [&](const PairFigures& one) {
    return !chosen(choice.sources, one.source) || !chosen(choice.receivers, one.receiver);
  });
  return figures;
}

// The values of which the tables show the differences: charts and tables are over the same pairs, figure by figure.
std::vector<ShownFigures> compared_figures(const Match& match, std::optional<double> FigureDifference::*of) {
  std::vector<ShownFigures> all;
  for (const MatchedPair& pair : match.pairs) {
    ShownFigures& one = all.emplace_back();
    one.source = pair.names.source, one.receiver = pair.names.receiver;
    one.octaves.centres = match.centres;
    for (const OctaveDifferences& octave : pair.octaves) {
      auto& values = one.octaves.values.emplace_back();
      for (std::size_t f = 0; f < main_figures; ++f)
        values[f] = octave[f].difference ? (octave[f].*of).value_or(std::nan("")) : std::nan("");
    }
  }
  return all;
}

std::string facts_html(const NamedResult& a, const NamedResult& b) {
  Table table{{"", "A", "B"}, {}};
  const auto add = [&](const char* what, const std::string& first, const std::string& second) {
    table.rows.push_back({what, first, second});
  };
  const auto volume = [](const Result& result) {
    const std::optional<double> found = air_volume(result);
    return found ? fmt::format("{:.4g} m\u00b3", *found) : std::string("-");
  };
  add("result", a.name, b.name);
  add("program", a.result.version, b.result.version);
  add("valid up to", fmt::format("{:.6g} Hz", a.result.valid_to()), fmt::format("{:.6g} Hz", b.result.valid_to()));
  add("volume", volume(a.result), volume(b.result));
  const auto settings = [](const Result& result) {
    std::string text;
    for (const std::string& one : result.overrides) text += (text.empty() ? "" : ", ") + one;
    return text.empty() ? std::string("-") : text;
  };
  add("--set", settings(a.result), settings(b.result));
  const bool same = a.result.scene_text == b.result.scene_text;
  return "<h2>Results</h2>\n" + to_html(table) +
         fmt::format("<p>The text of the scene is {} in both.</p>\n", same ? "the same" : "not the same");
}

// "+0.021 (0.8)": the difference as tables show the figure, and in just noticeable differences.
std::string difference_text(std::size_t figure, double difference, double noticeable) {
  return fmt::format("{}{} ({:.1f})", difference >= 0.0 ? "+" : "", figure_text(figure, difference), noticeable);
}

std::string figure_head(std::size_t figure) {
  const std::string name = named_figures[figure].name;
  if (name == "D50") return "D50, %";
  if (name == "Ts") return "Ts, ms";
  return name + ", " + named_figures[figure].unit;
}

// Figures by row, octaves by column; `cell` gives the text of a figure in an octave.
template <class Cell>
std::string differences_html(const Match& match, const std::string& caption, const Cell& cell) {
  Table table{{"B less A (JND)"}, {}};
  table.caption = caption;
  for (const double centre : match.centres) table.head.push_back(fmt::format("{:g} Hz", centre));
  for (std::size_t f = 0; f < main_figures; ++f) {
    std::vector<std::string> row{figure_head(f)};
    bool any = false;
    for (std::size_t octave = 0; octave < match.centres.size(); ++octave) {
      row.push_back(cell(octave, f));
      any = any || row.back() != "-";
    }
    if (any) table.rows.push_back(std::move(row));
  }
  if (table.rows.empty()) return "<p>" + escape_html(caption) + ": no figure is in both.</p>\n";
  return to_html(table);
}

std::string means_table(const Match& match) {
  const std::size_t pairs = match.pairs.size();
  return differences_html(
      match,
      fmt::format(
          "Mean difference over {} pair{}, or as many as stated of them, in brackets the mean magnitude in just "
          "noticeable differences (ISO 3382-1)",
          pairs, pairs == 1 ? "" : "s"),
      [&](std::size_t octave, std::size_t f) {
        const MatchMean& mean = match.means[octave][f];
        if (mean.pairs == 0) return std::string("-");
        return difference_text(f, mean.difference, mean.size) +
               (mean.pairs < pairs ? fmt::format(" of {}", mean.pairs) : std::string());
      });
}

std::string pair_table(const Match& match, const MatchedPair& pair, const std::string& name) {
  return differences_html(match, name + ": differences", [&](std::size_t octave, std::size_t f) {
    const FigureDifference& one = pair.octaves[octave][f];
    return one.difference ? difference_text(f, *one.difference, std::abs(one.noticeable.value_or(0.0)))
                          : std::string("-");
  });
}

Response response_of(const Result& result, std::size_t channel, const std::string& name) {
  const auto samples = static_cast<std::size_t>(result.rendered.samples);
  return {std::span(result.rendered.ir).subspan(channel * samples, samples), result.rendered.sample_rate,
          result.valid_to(), name};
}

// The curves of B over those of A, in the axes that hold both.
Plot overlaid(Plot a, Plot b, const std::string& title) {
  if (a.x.low != a.x.high && b.x.low != b.x.high) {
    a.x.low = std::min(a.x.low, b.x.low), a.x.high = std::max(a.x.high, b.x.high);
    a.y.low = std::max(a.y.low, b.y.low), a.y.high = std::max(a.y.high, b.y.high);
  }
  a.title = title;
  for (Series& one : a.series) one.name = "A", one.colour = 0;
  for (Series& one : b.series) {
    one.name = "B", one.colour = 1, one.dashed = true;
    a.series.push_back(std::move(one));
  }
  return a;
}

Series decay_curve(const BandMetrics& band, const char* name, int colour) {
  Series series{name, {}, colour == 1, false, colour};
  if (!band.decay) return series;
  const std::size_t stride = std::max<std::size_t>(1, band.decay->level.size() / decay_points);
  for (std::size_t i = 0; i < band.decay->level.size(); i += stride)
    series.points.emplace_back(static_cast<double>(i) / band.decay->rate, band.decay->level[i]);
  return series;
}

std::string decays_html(const Metrics& a, const Metrics& b) {
  std::string plots;
  for (const BandMetrics& one : a.bands) {
    const auto other = std::ranges::find(b.bands, one.centre, &BandMetrics::centre);
    if (other == b.bands.end()) continue;
    Plot plot;
    plot.title = fmt::format("Decay, {:g} Hz", one.centre);
    plot.width = 360.0, plot.height = 260.0;
    plot.x = {"time after the onset, s"}, plot.y = {"level, dB", false, -70.0, 0.0};
    plot.legend_right = true;
    plot.series = {decay_curve(one, "A", 0), decay_curve(*other, "B", 1)};
    if (!plot.series[0].points.empty() && !plot.series[1].points.empty()) plots += to_svg(plot);
  }
  return plots;
}

std::size_t channel_of(const Result& result, const std::string& source, const std::string& receiver) {
  if (const auto found = shown_channel(result.recording, source, receiver)) return *found;
  throw Error(Status::scene, fmt::format("the result has no response of {} at {}", source, receiver));
}

std::string pair_html(const NamedResult& a, const NamedResult& b, const Match& match, const MatchedPair& pair,
                      bool open) {
  const std::string name = pair.names.source + " at " + pair.names.receiver;
  const std::size_t first = channel_of(a.result, pair.names.source, pair.names.receiver),
                    second = channel_of(b.result, pair.names.source, pair.names.receiver);
  const Response of_a = response_of(a.result, first, name), of_b = response_of(b.result, second, name);
  return fmt::format("<details{}><summary>{}</summary>\n", open ? " open" : "", escape_html(name)) +
         pair_table(match, pair, name) + "<div class=\"plots\">\n" +
         to_svg(overlaid(response_plot(of_a), response_plot(of_b), "Impulse response, " + name)) +
         to_svg(overlaid(spectrum_plot(of_a), spectrum_plot(of_b), "Frequency response, " + name)) +
         decays_html(measure_channel(a.result, first, {}, true), measure_channel(b.result, second, {}, true)) +
         "</div></details>\n";
}

std::string only_html(const char* which, const std::vector<std::string>& pairs) {
  constexpr std::size_t most = 20;
  if (pairs.empty()) return "";
  std::string text;
  for (std::size_t i = 0; i < std::min(pairs.size(), most); ++i) text += (i == 0 ? "" : ", ") + pairs[i];
  return fmt::format("<p>Only in {}: {}{}.</p>\n", which, escape_html(text), pairs.size() > most ? ", ..." : "");
}

std::string comparison_body(const NamedResult& a, const NamedResult& b, const ReportChoice& choice) {
  check_choice(a.result, choice);
  check_choice(b.result, choice);
  MatchOptions how;
  how.words = words_of_runs();
  const Match match = match_figures(chosen_figures(b.result, choice), chosen_figures(a.result, choice), how);
  std::optional<UseTargets> targets;
  if (!choice.use.empty()) {
    const std::optional<double> volume = air_volume(a.result);
    if (!volume) throw Error(Status::scene, "result A does not state the volume of the room", "leave out --use");
    targets = targets_of(choice.use, *volume);
  }
  std::string html = facts_html(a, b) + "<h2>Differences</h2>\n" + means_table(match);
  html += only_html("A", match.only_measured) + only_html("B", match.only_in_run);
  for (const std::string& remark : match.remarks) html += "<p>" + escape_html(remark) + "</p>\n";
  html += overlaid_charts_html({{"A", compared_figures(match, &FigureDifference::measured)},
                                {"B", compared_figures(match, &FigureDifference::run)}},
                               targets);
  html += "<h2>Responses</h2>\n";
  const std::size_t drawn = std::min(match.pairs.size(), most_pairs);
  for (std::size_t i = 0; i < drawn; ++i) html += pair_html(a, b, match, match.pairs[i], i == 0);
  if (drawn < match.pairs.size())
    html += fmt::format("<p>{} of {} pairs are drawn; --receiver NAME draws others.</p>\n", drawn, match.pairs.size());
  return html;
}

}  // namespace

std::string comparison_html(const NamedResult& a, const NamedResult& b, const ReportChoice& choice) {
  try {
    return html_page("Comparison of two results", comparison_body(a, b, choice), page_scripts());
  } catch (const nlohmann::json::exception&) {
    throw Error(Status::file, "a result's plan or metrics are not JSON that this program writes",
                "the file is damaged, or another program wrote it");
  }
}

}  // namespace fdtd
