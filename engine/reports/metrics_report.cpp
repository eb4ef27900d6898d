#include "engine/reports/metrics_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace fdtd {
namespace {

nlohmann::ordered_json value_json(const Figure& figure) {
  return figure.value ? nlohmann::ordered_json(*figure.value) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json band_json(const BandMetrics& band) {
  nlohmann::ordered_json json;
  if (band.centre > 0.0) json["centre"] = band.centre;
  auto reasons = nlohmann::ordered_json::object();
  for (const NamedFigure& one : named_figures) {
    const Figure& figure = band.*one.figure;
    json[one.name] = value_json(figure);
    if (!figure.value) reasons[one.name] = figure.reason;
  }
  json["curvature"] = value_json(band.curvature);
  json["range"] = band.range;
  json["nonlinearity_T20"] = band.T20.value ? nlohmann::ordered_json(band.nonlinearity_T20) : nullptr;
  json["nonlinearity_T30"] = band.T30.value ? nlohmann::ordered_json(band.nonlinearity_T30) : nullptr;
  std::string reason;
  for (const std::string& line : band.reasons()) reason += (reason.empty() ? "" : "; ") + line;
  json["reason"] = reason.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(reason);
  json["reasons"] = reasons;
  return json;
}

struct Column {
  const char* name;
  const char* unit;
  double factor;
  int digits;
};
constexpr Column columns[] = {{"EDT", "s", 1.0, 3},  {"T20", "s", 1.0, 3},  {"T30", "s", 1.0, 3},
                              {"C50", "dB", 1.0, 2}, {"C80", "dB", 1.0, 2}, {"D50", "%", 100.0, 1},
                              {"Ts", "ms", 1e3, 1},  {"G", "dB", 1.0, 2}};

std::string band_name(const BandMetrics& band) {
  return band.centre > 0.0 ? fmt::format("{:.6g} Hz", band.centre) : "all";
}

// The name of the band and its values in the order of the columns, "-" for a missing one.
std::vector<std::string> cells_of(const BandMetrics& band) {
  std::vector<std::string> cells{band_name(band)};
  for (const Column& column : columns) {
    const Figure* figure = nullptr;
    for (const NamedFigure& one : named_figures)
      if (std::strcmp(one.name, column.name) == 0) figure = &(band.*one.figure);
    cells.push_back(figure->value ? fmt::format("{:.{}f}", column.factor * *figure->value, column.digits) : "-");
  }
  return cells;
}

}  // namespace

nlohmann::ordered_json metrics_json(const Metrics& metrics) {
  auto bands = nlohmann::ordered_json::array();
  for (const BandMetrics& band : metrics.bands) bands.push_back(band_json(band));
  return {{"sample_rate", metrics.sample_rate},         {"duration", metrics.duration},        {"onset", metrics.onset},
          {"valid_bandwidth", metrics.valid_bandwidth}, {"analysis_low_cut", metrics.low_cut}, {"bands", bands},
          {"broadband", band_json(metrics.broadband)}};
}

Table metrics_table(const Metrics& metrics) {
  Table table{{"octave band"}, {}};
  for (const Column& column : columns) table.head.push_back(fmt::format("{} {}", column.name, column.unit));
  for (const BandMetrics& band : metrics.bands) table.rows.push_back(cells_of(band));
  table.rows.push_back(cells_of(metrics.broadband));
  return table;
}

std::vector<std::string> metrics_gaps(const Metrics& metrics) {
  std::vector<std::pair<std::string, std::string>> missing;  // what and why, in which bands
  const auto add = [&](const BandMetrics& band) {
    for (const std::string& line : band.reasons()) {
      const auto same = std::find_if(missing.begin(), missing.end(), [&](const auto& m) { return m.first == line; });
      if (same == missing.end())
        missing.emplace_back(line, band_name(band));
      else
        same->second += ", " + band_name(band);
    }
  };
  for (const BandMetrics& band : metrics.bands) add(band);
  add(metrics.broadband);
  std::vector<std::string> lines;
  for (const auto& [line, bands] : missing) lines.push_back(fmt::format("no {} ({})", line, bands));
  return lines;
}

std::string metrics_text(const Metrics& metrics) {
  const Table table = metrics_table(metrics);
  std::string text = fmt::format("{:>12}", "");
  for (std::size_t c = 1; c < table.head.size(); ++c) text += fmt::format("{:>9}", table.head[c]);
  text += "\n";
  for (const auto& row : table.rows) {
    for (std::size_t c = 0; c < row.size(); ++c)
      text += c == 0 ? fmt::format("{:>12}", row[c]) : fmt::format(" {:>8}", row[c]);
    text += "\n";
  }
  for (const std::string& line : metrics_gaps(metrics)) text += line + "\n";
  if (metrics.low_cut > 0.0)
    text += fmt::format("static pressure is removed for the analysis: high-pass at {:g} Hz\n", metrics.low_cut);
  return text;
}

}  // namespace fdtd
