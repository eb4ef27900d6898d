#include "engine/reports/metrics_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "engine/reports/further_table.hpp"
#include "engine/reports/headline.hpp"

namespace fdtd {
namespace {

// Why values of a band are missing, in one line; null where none is.
std::optional<std::string> reason_of(const BandMetrics& band) {
  std::string reason;
  for (const std::string& line : band.reasons()) reason += (reason.empty() ? "" : "; ") + line;
  return reason.empty() ? std::nullopt : std::optional(reason);
}

TextsByName missing_of(const BandMetrics& band) {
  TextsByName reasons;
  for (const NamedFigure& one : named_figures)
    if (const Figure& figure = band.*one.figure; !figure.value) reasons.emplace_back(one.name, figure.reason);
  return reasons;
}

TextsByName doubts_of(const BandMetrics& band) {
  TextsByName doubts;
  for (const Doubt& doubt : band.doubts()) {
    const auto same = std::ranges::find(doubts, doubt.name, &TextsByName::value_type::first);
    if (same == doubts.end())
      doubts.emplace_back(doubt.name, doubt.reason);
    else
      same->second += "; " + doubt.reason;
  }
  return doubts;
}

std::optional<std::string> missing_index_of(const Metrics& metrics) {
  return metrics.STI.value ? std::nullopt : std::optional(metrics.STI.reason);
}

std::optional<std::string> origin_text(const BandMetrics& band) {
  return band.from == BandOrigin::unknown ? std::nullopt : std::optional<std::string>(name_of(band.from));
}

const JsonFields<BandMetrics>& octave_fields() {
  static const auto fields =
      JsonFields<BandMetrics>()
          .value("centre", "Hz", "Centre frequency of the band.", &BandMetrics::centre)
          .include(band_fields())
          .value("MTI", "",
                 "Modulation transfer index of the octaves of 125 to 8000 Hz (IEC 60268-16), "
                 "0 to 1; for speech of a level only where there is an STI.",
                 &BandMetrics::MTI)
          .value("U50", "dB",
                 "Useful to detrimental sound of the octaves of 125 to 8000 Hz: early energy of "
                 "speech, to 50 ms, over its late energy and the noise.",
                 &BandMetrics::U50)
          .only_if("speech has a level", [](const BandMetrics& band) { return band.U50.has_value(); })
          .value("from", "",
                 "The part of the response that makes the octave: `wave`, `geometry` or `both`; "
                 "null: not known.",
                 origin_text);
  return fields;
}

struct Column {
  const char *name, *head;
  double factor;
  int digits;
  int width;  // in text: 80 with the eight of the bands
};
constexpr Column columns[] = {{"EDT", "EDT s", 1.0, 3, 7},
                              {"T20", "T20 s", 1.0, 3, 7},
                              {"T30", "T30 s", 1.0, 3, 7},
                              {"C50", "C50 dB", 1.0, 2, 7},
                              {"C80", "C80 dB", 1.0, 2, 7},
                              {"D50", "D50 %", 100.0, 1, 7},
                              {"Ts", "Ts ms", 1e3, 1, 7},
                              {"G", "G dB", 1.0, 2, 7},
                              {"curvature", "C %", 1.0, 1, 6},
                              {"nonlinearity_T20", "xi20", 1.0, 1, 5},
                              {"nonlinearity_T30", "xi30", 1.0, 1, 5}};
static_assert(std::size(columns) == figures_of_decay);  // in the order of named_figures

constexpr int from_width = 9;
constexpr const char* from_head = "from";

bool any_geometry(const std::vector<BandMetrics>& bands) {
  return std::ranges::any_of(bands, [](const BandMetrics& band) {
    return band.from == BandOrigin::both || band.from == BandOrigin::geometry;
  });
}

std::string band_name(const BandMetrics& band) {
  return band.centre > 0.0 ? fmt::format("{:.6g} Hz", band.centre) : "all";
}

// A value to so many digits; of a large one no more than fit.
std::string number_of(double value, int digits, std::size_t width) {
  std::string text = fmt::format("{:.{}f}", value, digits);
  for (; digits > 0 && text.size() > width; text = fmt::format("{:.{}f}", value, --digits)) continue;
  return text;
}

std::string cell_text(const Column& column, double value) {
  return std::isnan(value)
             ? "-"
             : number_of(column.factor * value, column.digits, static_cast<std::size_t>(column.width - 1));
}

double value_of(const BandMetrics& band, const Column& column) {
  const auto named = [&](const auto& one) { return std::strcmp(one.name, column.name) == 0; };
  return (band.*std::ranges::find_if(named_figures, named)->figure).value.value_or(std::nan(""));
}

// The name of the band and its values in the order of the columns: "-" for a missing one, a star behind a doubtful one.
std::vector<std::string> cells_of(const BandMetrics& band) {
  std::vector<std::string> cells{band_name(band)};
  const std::vector<Doubt> doubts = band.doubts();
  for (const Column& column : columns) {
    const auto named = [&](const auto& one) { return std::strcmp(one.name, column.name) == 0; };
    const Figure& figure = band.*std::ranges::find_if(named_figures, named)->figure;
    const bool doubtful = std::ranges::any_of(doubts, named);
    const auto width = static_cast<std::size_t>(column.width - 1 - (doubtful ? 1 : 0));
    cells.push_back(
        !figure.value ? "-" : number_of(column.factor * *figure.value, column.digits, width) + (doubtful ? "*" : ""));
  }
  return cells;
}

// Lines that bands share, with their names.
class SharedLines {
 public:
  void add(const std::string& line, const BandMetrics& band) {
    const auto same = std::ranges::find_if(lines_, [&](const auto& one) { return one.first == line; });
    if (same == lines_.end())
      lines_.emplace_back(line, band_name(band));
    else
      same->second += ", " + band_name(band);
  }
  std::vector<std::string> all(const char* head) const {
    std::vector<std::string> texts;
    for (const auto& [line, bands] : lines_) texts.push_back(fmt::format("{} {} ({})", head, line, bands));
    return texts;
  }

 private:
  std::vector<std::pair<std::string, std::string>> lines_;
};

// "T20, T30: the decay ...", each reason once.
std::vector<std::string> doubt_lines(const BandMetrics& band) {
  std::vector<std::pair<std::string, std::string>> list;
  const auto main = std::span(named_figures).first(main_figures);
  for (const Doubt& doubt : band.doubts()) {
    if (std::ranges::none_of(main, [&](const auto& one) { return std::strcmp(one.name, doubt.name) == 0; })) continue;
    const auto same = std::ranges::find_if(list, [&](const auto& one) { return one.first == doubt.reason; });
    if (same == list.end())
      list.emplace_back(doubt.reason, doubt.name);
    else
      same->second += std::string(", ") + doubt.name;
  }
  std::vector<std::string> lines;
  for (const auto& [reason, names] : list) lines.push_back(names + ": " + reason);
  return lines;
}

// The same of the means over several octaves; the figures of quality are of one decay and have no mean.
std::vector<std::string> cells_of(const std::vector<BandMetrics>& bands, const OctaveRange& range) {
  std::vector<std::string> cells{range.name};
  for (std::size_t f = 0; f < figures_of_decay; ++f) {
    const auto value = [&](std::size_t band) { return value_of(bands[band], columns[f]); };
    cells.push_back(f < main_figures ? cell_text(columns[f], mean_over(range, value)) : "-");
  }
  return cells;
}

template <class Origin>
BandOrigin origin_over(const OctaveRange& range, const Origin& origin) {
  BandOrigin all = BandOrigin::unknown;
  for (const std::size_t band : range.bands) all = joint(all, origin(band));
  return all;
}

std::vector<std::string> head_of_figures(const char* first, std::size_t count) {
  std::vector<std::string> head{first};
  for (std::size_t f = 0; f < count; ++f) head.emplace_back(columns[f].head);
  return head;
}

std::vector<double> centres_of(const std::vector<BandMetrics>& bands) {
  std::vector<double> centres;
  for (const BandMetrics& band : bands) centres.push_back(band.centre);
  return centres;
}

}  // namespace

const JsonFields<BandMetrics>& band_fields() {
  static const auto fields = [] {
    JsonFields<BandMetrics> made;
    for (const NamedFigure& one : named_figures)
      made.value(one.name, one.unit, one.about, [one](const BandMetrics& band) { return (band.*one.figure).value; });
    return made.value("range", "dB", "Dynamic range of the decay.", &BandMetrics::range)
        .value("reason", "", "Why figures of this band are null.", reason_of)
        .value("reasons", "", "The reason for each figure that is null, by its name.", missing_of)
        .value("doubts", "",
               "Why figures are to be taken with care, by name: a decay that is not straight, or one of less than 25 "
               "dB.",
               doubts_of);
  }();
  return fields;
}

namespace {

void add_averages(JsonFields<Metrics>& fields) {
  for (const AveragedFigure& one : averaged_figures)
    fields.value(one.name, one.unit, one.about,
                 [one](const Metrics& metrics) { return average_of(metrics.bands, one); });
  fields.value("lateral_axis", "",
               "Unit vector in the scene along which LF, LFC and LJ take sound as lateral: horizontal, across the "
               "direction to the source; null: not known.",
               &Metrics::lateral_axis);
}

JsonFields<Metrics> fields_of_all() {
  JsonFields<Metrics> made =
      JsonFields<Metrics>()
          .value("sample_rate", "Hz", "Sample rate of the response.", &Metrics::sample_rate)
          .value("duration", "s", "Length of the response.", &Metrics::duration)
          .value("onset", "s", "Arrival of sound, the time from which all others count.", &Metrics::onset)
          .value("valid_bandwidth", "Hz", "Frequency up to which the response is valid.", &Metrics::valid_bandwidth)
          .value("analysis_low_cut", "Hz",
                 "High-pass that removes static pressure for the analysis; 0: the response has none.",
                 &Metrics::low_cut)
          .value("offset", "", "Constant, the mean of the response's end, that is subtracted for the analysis.",
                 &Metrics::offset)
          .value(
              "STI", "",
              "Speech transmission index (IEC 60268-16:2020, indirect method, male speech), 0 to 1; needs the octaves "
              "of 125 to 8000 Hz.",
              [](const Metrics& metrics) { return metrics.STI.value; })
          .value("STI_reason", "", "Why there is no STI; null where there is one.", missing_index_of)
          .value("STIPA", "",
                 "The same of the two modulation frequencies in each octave that the signal of STIPA has; there is one "
                 "where there is an STI.",
                 [](const Metrics& metrics) { return metrics.STIPA.value; })
          .value("U50", "dB",
                 "Useful to detrimental sound of speech, A-weighted over the octaves of 125 to 8000 Hz; needs the "
                 "level of "
                 "speech.",
                 [](const Metrics& metrics) { return metrics.U50.value; })
          .value("U50_reason", "", "Why there is no U50; null where there is one.",
                 [](const Metrics& metrics) {
                   return metrics.U50.value ? std::nullopt : std::optional(metrics.U50.reason);
                 })
          .value("speech_level", "dB(A)",
                 "Level of speech at 1 m, for which STI holds; null: of the room alone, without noise, masking and "
                 "threshold of hearing.",
                 [](const Metrics& metrics) {
                   return metrics.speech ? std::optional(metrics.speech->level) : std::nullopt;
                 })
          .value("speech_noise", "dB", "Levels of noise at the receiver in the octaves of 125 to 8000 Hz; null: none.",
                 [](const Metrics& metrics) { return metrics.speech ? metrics.speech->noise : std::nullopt; });
  add_averages(made);
  return made;
}

}  // namespace

const JsonFields<Metrics>& metrics_fields() {
  static const auto fields =
      fields_of_all()
          .list("bands", "The octave bands within the valid bandwidth.", octave_fields(), &Metrics::bands)
          .object("broadband", "The same figures without a band filter.", band_fields(), &Metrics::broadband)
          .elsewhere();
  return fields;
}

Table metrics_table(const Metrics& metrics) {
  Table table{head_of_figures("octave band", figures_of_decay), {}};
  const bool parts = any_geometry(metrics.bands);
  if (parts) table.head.emplace_back(from_head);
  const auto add_row = [&](std::vector<std::string> cells, BandOrigin from) {
    if (parts) cells.emplace_back(name_of(from));
    table.rows.push_back(std::move(cells));
  };
  for (const BandMetrics& band : metrics.bands) add_row(cells_of(band), band.from);
  const std::vector<double> centres = centres_of(metrics.bands);
  for (const OctaveRange& range : {mid_octaves(centres), room_octaves(centres)})
    if (range.bands.size() > 1 && (table.rows.empty() || table.rows.back().front() != range.name))
      add_row(cells_of(metrics.bands, range), origin_over(range, [&](std::size_t b) { return metrics.bands[b].from; }));
  if (metrics.bands.empty()) table.rows.push_back(cells_of(metrics.broadband));
  return table;
}

std::size_t fewest_of_mean(std::size_t responses) { return std::max<std::size_t>(1, (responses + 1) / 2); }

namespace {

// Over the channels that have the figure in a band, and their number.
std::pair<std::size_t, double> mean_in(const FigureTable& figures, const std::vector<std::size_t>& channels,
                                       std::size_t figure, std::size_t band) {
  double sum = 0.0;
  std::size_t count = 0;
  for (const std::size_t channel : channels)
    if (const double value = figures.value(figure, channel, band); !std::isnan(value)) sum += value, ++count;
  return {count, sum / static_cast<double>(count)};
}

}  // namespace

std::string counted_means(const FigureTable& figures, const std::vector<std::size_t>& channels) {
  const std::size_t all = channels.size();
  std::string fewer;
  for (std::size_t b = 0; b < figures.centres.size(); ++b) {
    std::size_t least = all, most = 0;  // of the means that are shown
    for (std::size_t f = 0; f < main_figures && figures.centres[b] > 0.0; ++f)
      if (const auto count = mean_in(figures, channels, f, b).first; count >= fewest_of_mean(all))
        least = std::min(least, count), most = std::max(most, count);
    if (most == 0 || least == all) continue;
    fewer += fmt::format("{}{} at {:g} Hz", fewer.empty() ? "" : ", ",
                         least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most),
                         figures.centres[b]);
  }
  return fmt::format("{} response{}", all, all == 1 ? "" : "s") +
         (fewer.empty() ? "" : fmt::format(", of which, by figure, {}", fewer));
}

Table mean_table(const FigureTable& figures, const std::vector<std::size_t>& channels, const BandParts& parts) {
  Table table{head_of_figures("octave band", main_figures), {}};
  const bool geometry = parts.geometry_from > 0.0;
  if (geometry) table.head.emplace_back(from_head);
  const auto mean = [&](std::size_t figure, std::size_t band) {
    const auto [count, value] = mean_in(figures, channels, figure, band);
    return count >= fewest_of_mean(channels.size()) ? value : std::nan("");
  };
  const auto add_row = [&](const std::string& name, const auto& value, BandOrigin from) {
    std::vector<std::string> row{name};
    for (std::size_t f = 0; f < main_figures; ++f) row.push_back(cell_text(columns[f], value(f)));
    if (geometry) row.emplace_back(name_of(from));
    table.rows.push_back(std::move(row));
  };
  const auto origin = [&](std::size_t band) { return origin_of(figures.centres[band], parts); };
  for (std::size_t b = 0; b < figures.centres.size(); ++b)
    if (figures.centres[b] > 0.0)
      add_row(
          fmt::format("{:.6g} Hz", figures.centres[b]), [&](std::size_t f) { return mean(f, b); }, origin(b));
  for (const OctaveRange& range : {mid_octaves(figures.centres), room_octaves(figures.centres)})
    if (range.bands.size() > 1 && (table.rows.empty() || table.rows.back().front() != range.name))
      add_row(
          range.name, [&](std::size_t f) { return mean_over(range, [&](std::size_t band) { return mean(f, band); }); },
          origin_over(range, origin));
  return table;
}

const char* figure_head(std::size_t figure) { return columns[figure].head; }

std::string figure_text(std::size_t figure, double value) { return cell_text(columns[figure], value); }

std::string table_text(const Table& table) {
  const auto width_of = [](const std::string& head) {
    const auto* const column = std::ranges::find_if(columns, [&](const Column& one) { return head == one.head; });
    return column == std::end(columns) ? from_width : column->width;
  };
  // Beside the column of parts there is no room for how straight decays are; a star says where they are not.
  const bool parts = table.head.back() == from_head;
  const auto left_out = [&](std::size_t c) { return parts && table.head[c].starts_with("xi"); };
  std::string text = fmt::format("{:>8}", "Hz");
  for (std::size_t c = 1; c < table.head.size(); ++c)
    if (!left_out(c)) text += fmt::format("{:>{}}", table.head[c], width_of(table.head[c]));
  text += "\n";
  for (const auto& row : table.rows) {
    text += fmt::format("{:>8}", row[0].substr(0, row[0].find(' ')));
    for (std::size_t c = 1; c < row.size(); ++c)
      if (!left_out(c)) text += fmt::format("{:>{}}", row[c], width_of(table.head[c]));
    text += "\n";
  }
  return text;
}

std::vector<std::string> metrics_gaps(const Metrics& metrics) {
  SharedLines missing, doubtful;
  const auto add = [&](const BandMetrics& band) {
    for (const std::string& line : band.reasons()) missing.add(line, band);
    for (const std::string& line : doubt_lines(band)) doubtful.add(line, band);
  };
  for (const BandMetrics& band : metrics.bands) add(band);
  if (metrics.bands.empty()) add(metrics.broadband);
  std::vector<std::string> lines = missing.all("no");
  for (std::string& line : doubtful.all("*")) lines.push_back(std::move(line));
  return lines;
}

std::string speech_text(const Metrics& metrics) {
  if (!metrics.STI.value) return "";
  const std::string head = fmt::format("STI {:.2f}, STIPA {:.2f}", *metrics.STI.value, *metrics.STIPA.value);
  if (!metrics.speech) return head + " of the room alone, without noise (IEC 60268-16)";
  std::string noise = "no noise";
  if (metrics.speech->noise) {
    noise = "noise";
    for (const double level : *metrics.speech->noise) noise += fmt::format(" {:.4g}", level);
    noise += " dB";
  }
  const std::string useful = metrics.U50.value ? fmt::format("; U50 {:.1f} dB(A)", *metrics.U50.value) : "";
  return fmt::format("{}, speech of {:.4g} dB(A) at 1 m, {} (IEC 60268-16){}", head, metrics.speech->level, noise,
                     useful);
}

std::string metrics_text(const Metrics& metrics, bool all) {
  std::string text = table_text(metrics_table(metrics));
  text += any_geometry(metrics.bands) ? "C: curvature; from: the part of the response that makes the octave\n"
                                      : "C: curvature; xi20, xi30: non-linearity of T20, T30 in per mille\n";
  if (const std::string speech = speech_text(metrics); !speech.empty()) text += speech + "\n";
  for (const std::string& line : metrics_gaps(metrics)) text += line + "\n";
  if (all || has_further(metrics)) text += further_text(metrics);
  if (metrics.low_cut > 0.0)
    text += fmt::format("static pressure is removed for the analysis: high-pass at {:g} Hz\n", metrics.low_cut);
  if (metrics.offset != 0.0)
    text +=
        fmt::format("a constant offset of {:.3g}, the mean of the end, is removed for the analysis\n", metrics.offset);
  return text;
}

}  // namespace fdtd
