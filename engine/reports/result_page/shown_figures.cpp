#include "engine/reports/result_page/shown_figures.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/reports/run_report.hpp"

namespace fdtd {
namespace {

using PartJson = nlohmann::ordered_json;

OctaveValues values_of(const PartJson& response) {
  OctaveValues octaves;
  for (const auto& band : response.value("bands", PartJson::array())) {
    octaves.centres.push_back(band.value("centre", 0.0));
    auto& values = octaves.values.emplace_back();
    for (std::size_t f = 0; f < main_figures; ++f) {
      const auto figure = band.find(named_figures[f].name);
      values[f] = figure != band.end() && figure->is_number() ? figure->get<double>() : std::nan("");
    }
  }
  return octaves;
}

OctaveValues values_of(const FigureTable& table, std::size_t channel) {
  OctaveValues octaves;
  for (std::size_t b = 0; b < table.centres.size(); ++b) {
    if (table.centres[b] <= 0.0) continue;  // all frequencies
    octaves.centres.push_back(table.centres[b]);
    auto& values = octaves.values.emplace_back();
    for (std::size_t f = 0; f < main_figures; ++f) values[f] = table.value(f, channel, b);
  }
  return octaves;
}

}  // namespace

std::vector<ShownFigures> shown_figures(const Result& result) {
  std::vector<ShownFigures> all;
  const std::vector<ShownChannel> shown = shown_channels(result.recording);
  const std::size_t receivers = result.recording.receivers.size();
  const auto place = [&](ShownFigures& one, std::size_t receiver) {
    if (receiver >= result.receiver_positions.size()) return;
    one.at = result.receiver_positions[receiver];
    one.placed = true;
  };
  if (result.metrics_json.empty() && result.figures) {
    for (const ShownChannel& one : shown) {
      all.push_back({one.source, one.receiver, {}, false, values_of(*result.figures, one.channel)});
      place(all.back(), one.channel % receivers);
    }
    return all;
  }
  if (result.metrics_json.empty()) return all;
  std::map<std::string, std::size_t> receiver_of;
  for (const ShownChannel& one : shown) receiver_of.emplace(one.receiver, one.channel % receivers);
  for (const auto& one : PartJson::parse(result.metrics_json)) {
    if (!one.contains("receiver")) continue;
    all.push_back(
        {one.value("source", std::string()), one.value("receiver", std::string()), {}, false, values_of(one)});
    if (const auto found = receiver_of.find(all.back().receiver); found != receiver_of.end())
      place(all.back(), found->second);
  }
  return all;
}

std::vector<double> octaves_of(const std::vector<ShownFigures>& all) {
  std::set<double> centres;
  for (const ShownFigures& one : all) centres.insert(one.octaves.centres.begin(), one.octaves.centres.end());
  centres.erase(0.0);
  return {centres.begin(), centres.end()};
}

double value_at(const ShownFigures& one, std::size_t figure, double centre) {
  const auto found = std::ranges::find(one.octaves.centres, centre);
  if (found == one.octaves.centres.end()) return std::nan("");
  return one.octaves.values[static_cast<std::size_t>(found - one.octaves.centres.begin())][figure];
}

Spread spread_of(const std::vector<ShownFigures>& all, std::size_t figure, double centre) {
  Spread spread;
  for (const ShownFigures& one : all) {
    const double value = value_at(one, figure, centre);
    if (!std::isfinite(value)) continue;
    spread.low = spread.count == 0 ? value : std::min(spread.low, value);
    spread.high = spread.count == 0 ? value : std::max(spread.high, value);
    spread.mean += value;
    ++spread.count;
  }
  if (spread.count > 0) spread.mean /= static_cast<double>(spread.count);
  return spread;
}

std::optional<double> air_volume(const Result& result) {
  if (const auto& [x, y, z] = result.room_box; x > 0.0 && y > 0.0 && z > 0.0) return x * y * z;
  if (result.plan_json.empty()) return std::nullopt;
  const PartJson plan = PartJson::parse(result.plan_json);
  const auto mesh = plan.find("mesh");
  if (mesh == plan.end() || !mesh->is_object()) return std::nullopt;
  const double volume = mesh->value("volume", 0.0);
  return volume > 0.0 ? std::optional(volume) : std::nullopt;
}

}  // namespace fdtd
