#include "engine/reports/further_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

namespace fdtd {
namespace {

struct FurtherColumn {
  const char* head;
  int digits;
};
constexpr FurtherColumn further_columns[] = {{"DRR dB", 1}, {"LF", 2},    {"LFC", 2},   {"LJ dB", 1}, {"STe dB", 1},
                                             {"STl dB", 1}, {"IACCe", 2}, {"IACCl", 2}, {"IACC", 2}};

std::span<const NamedFigure> further_figures() { return std::span(named_figures).subspan(figures_of_decay); }
static_assert(std::size(further_columns) == std::size(named_figures) - figures_of_decay);  // in their order

bool any_has(const Metrics& metrics, const NamedFigure& one) {
  return std::ranges::any_of(metrics.bands,
                             [&](const BandMetrics& band) { return (band.*one.figure).value.has_value(); });
}

void append(std::string& list, const std::string& one) { list += (list.empty() ? "" : ", ") + one; }

// "no LF, LFC: the reason (63 Hz)", each reason once; figures that every octave lacks without the octaves.
std::vector<std::string> gaps_of(const Metrics& metrics) {
  struct Gap {
    std::string reason, octaves, names;
  };
  std::vector<Gap> gaps;
  for (const NamedFigure& one : further_figures()) {
    std::vector<std::pair<std::string, std::string>> reasons;  // of this figure, with their octaves
    for (const BandMetrics& band : metrics.bands) {
      const Figure& figure = band.*one.figure;
      if (figure.value) continue;
      auto same = std::ranges::find(reasons, figure.reason, &std::pair<std::string, std::string>::first);
      if (same == reasons.end()) same = reasons.insert(reasons.end(), {figure.reason, ""});
      append(same->second, fmt::format("{:.6g} Hz", band.centre));
    }
    const bool everywhere = reasons.size() == 1 && !any_has(metrics, one);
    for (const auto& one_of : reasons) {
      const std::string &reason = one_of.first, where = everywhere ? "" : one_of.second;
      const auto same =
          std::ranges::find_if(gaps, [&](const Gap& gap) { return gap.reason == reason && gap.octaves == where; });
      if (same == gaps.end())
        gaps.push_back({reason, where, one.name});
      else
        append(same->names, one.name);
    }
  }
  std::vector<std::string> lines;
  for (const Gap& gap : gaps)
    lines.push_back(fmt::format("no {}: {}{}", gap.names, gap.reason,
                                gap.octaves.empty() ? "" : fmt::format(" ({})", gap.octaves)));
  return lines;
}

}  // namespace

bool has_further(const Metrics& metrics) {
  return std::ranges::any_of(further_figures().subspan(1), [&](const auto& one) { return any_has(metrics, one); });
}

Table further_table(const Metrics& metrics) {
  Table table{{"octave band"}, {}};
  std::vector<std::size_t> shown;
  for (std::size_t f = 0; f < further_figures().size(); ++f)
    if (any_has(metrics, further_figures()[f])) shown.push_back(f);
  for (const std::size_t f : shown) table.head.emplace_back(further_columns[f].head);
  for (std::size_t b = 0; b < metrics.bands.size() && !shown.empty(); ++b) {
    std::vector<std::string> row{fmt::format("{:.6g} Hz", metrics.bands[b].centre)};
    for (const std::size_t f : shown) {
      const Figure& figure = metrics.bands[b].*further_figures()[f].figure;
      row.push_back(figure.value ? fmt::format("{:.{}f}", *figure.value, further_columns[f].digits) : "-");
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<std::string> further_notes(const Metrics& metrics) {
  std::vector<std::string> notes;
  for (const AveragedFigure& one : averaged_figures)
    if (const auto value = average_of(metrics.bands, one))
      notes.push_back(fmt::format("{}: {:.{}f}{}{}", one.name, *value, *one.unit == '\0' ? 2 : 1,
                                  *one.unit == '\0' ? "" : " ", one.unit));
  if (const auto& axis = metrics.lateral_axis)
    notes.push_back(
        fmt::format("lateral energy is that along ({:.2f}, {:.2f}, {:.2f}), across the direction to the source",
                    (*axis)[0] + 0.0, (*axis)[1] + 0.0, (*axis)[2] + 0.0));
  for (std::string& line : gaps_of(metrics)) notes.push_back(std::move(line));
  return notes;
}

std::string further_text(const Metrics& metrics) {
  std::string text;
  const Table table = further_table(metrics);
  const auto add_row = [&](const std::vector<std::string>& cells) {
    for (std::size_t c = 0; c < cells.size(); ++c)
      text += c == 0 ? fmt::format("{:>8}", &cells == &table.head ? "Hz" : cells[0].substr(0, cells[0].find(' ')))
                     : fmt::format("{:>8}", cells[c]);
    text += "\n";
  };
  if (!table.rows.empty()) add_row(table.head);
  for (const auto& row : table.rows) add_row(row);
  for (const std::string& note : further_notes(metrics)) text += note + "\n";
  return text;
}

}  // namespace fdtd
