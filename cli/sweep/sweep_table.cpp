#include "cli/sweep/sweep_table.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "engine/files/atomic_file.hpp"
#include "engine/results/response_arrays.hpp"

namespace fdtd::cli {
namespace {

// RFC 4180.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string number(double value) { return std::isnan(value) ? "" : fmt::format("{:.7g}", value); }

// A text of TOML without its quotes: a table has none.
std::string plain(const std::string& value) {
  const bool quoted =
      value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front();
  return quoted ? value.substr(1, value.size() - 2) : value;
}

}  // namespace

SweepTable::SweepTable(std::filesystem::path file, const SweepPoint& keys) : file_(std::move(file)) {
  text_ = "run";
  for (const std::string& one : keys) text_ += "," + cell(one.substr(0, end_of_key(one)));
  text_ += ",status,error,source,receiver,band";
  for (const NamedFigure& figure : named_figures) text_ += fmt::format(",{}", figure.name);
  text_ += "\n";
}

void SweepTable::add(const TableRun& run, const std::filesystem::path& result) {
  std::string head = fmt::format("{}", run.number);
  for (const std::string& one : run.point) head += "," + cell(plain(one.substr(end_of_key(one) + 1)));
  head += fmt::format(",{},{}", run.status, cell(run.error));
  const ResultFigures read = run.status == 0 ? read_result_figures(result) : ResultFigures{};
  if (!read.figures) {
    text_ += head + ",,," + std::string(figure_count, ',') + "\n";
    return;
  }
  const FigureTable& figures = *read.figures;
  for (std::size_t channel = 0; channel < figures.channels; ++channel) {
    const ChannelId &source = read.sources[channel / read.receivers.size()],
                    &receiver = read.receivers[channel % read.receivers.size()];
    if (!source.output() || !receiver.first()) continue;
    for (std::size_t band = 0; band < figures.centres.size(); ++band) {
      text_ += fmt::format("{},{},{},{}", head, cell(source.owner), cell(receiver.shown()),
                           figures.centres[band] > 0.0 ? number(figures.centres[band]) : "all");
      for (std::size_t f = 0; f < figure_count; ++f) text_ += "," + number(figures.value(f, channel, band));
      text_ += "\n";
    }
  }
}

void SweepTable::finish() { write_whole_file(file_, text_, true); }

}  // namespace fdtd::cli
