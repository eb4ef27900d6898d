#include "engine/reports/office/open_plan_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace fdtd {
namespace {

constexpr const char* wanted = "state at least four receivers 2 to 16 m from the source, as in --line R1,R2,R3,R4";

void check_names(const std::vector<ShownChannel>& shown, const std::vector<std::string>& receivers) {
  for (std::size_t i = 0; i < receivers.size(); ++i) {
    const std::string& name = receivers[i];
    if (std::ranges::find(shown, name, &ShownChannel::receiver) == shown.end())
      throw Error(Status::scene, fmt::format("--line: the result has no receiver {}", name), wanted);
    if (std::find(receivers.begin(), receivers.begin() + static_cast<std::ptrdiff_t>(i), name) !=
        receivers.begin() + static_cast<std::ptrdiff_t>(i))
      throw Error(Status::scene, fmt::format("--line: {} is named twice", name), wanted);
  }
  if (receivers.size() < open_plan_places)
    throw Error(Status::scene, fmt::format("--line: a line of {} receivers is too short", receivers.size()), wanted);
}

OpenPlanPlace place_of(const ShownChannel& channel, double distance, const Metrics& metrics) {
  OpenPlanPlace place;
  place.distance = distance;
  for (std::size_t k = 0; k < speech_octave_count; ++k) {
    const auto band = std::ranges::find(metrics.bands, speech_octaves[k], &BandMetrics::centre);
    if (band == metrics.bands.end() || !band->modulation || !band->G.value)
      throw Error(Status::scene,
                  fmt::format("--line: {} at {}: {}", channel.source, channel.receiver,
                              band == metrics.bands.end() || metrics.STI.value
                                  ? fmt::format("there is no octave of {:g} Hz", speech_octaves[k])
                                  : metrics.STI.reason),
                  "speech needs responses of the octaves of 125 to 8000 Hz: leave [above] at its default");
    place.strength[k] = *band->G.value;
    place.modulation[k] = *band->modulation;
  }
  return place;
}

std::optional<std::string> reason_for(const OpenPlanValue& value) {
  return value.value ? std::nullopt : std::optional(value.reason);
}

TextsByName reasons_of(const OfficeLine& line) {
  TextsByName reasons;
  const std::pair<const char*, const OpenPlanValue*> all[] = {{"D2S", &line.office.D2S},
                                                              {"LpAS_4m", &line.office.level_4m},
                                                              {"rC", &line.office.rC},
                                                              {"rD", &line.office.rD},
                                                              {"rP", &line.office.rP}};
  for (const auto& [name, value] : all)
    if (const auto reason = reason_for(*value)) reasons.emplace_back(name, *reason);
  return reasons;
}

const JsonFields<OfficeLine::Place>& office_place_fields() {
  using Place = OfficeLine::Place;
  static const auto fields =
      JsonFields<Place>()
          .value("receiver", "", "Name of the receiver.", &Place::receiver)
          .value("distance", "m", "Distance from the source.", &Place::distance)
          .value("LpAS", "dB(A)", "Level of speech.", &Place::level)
          .value("STI", "", "Speech transmission index; null: the noise is not known.", &Place::STI);
  return fields;
}

}  // namespace

std::vector<OfficeLine> office_lines(const Result& result, const std::vector<ShownChannel>& shown,
                                     const std::vector<Metrics>& metrics, const std::vector<std::string>& receivers,
                                     const std::optional<SpeechOctaves>& noise) {
  check_names(shown, receivers);
  std::vector<std::string> sources;
  for (const ShownChannel& one : shown)
    if (std::ranges::find(sources, one.source) == sources.end()) sources.push_back(one.source);
  std::vector<OfficeLine> lines;
  for (const std::string& source : sources) {
    std::vector<std::pair<std::string, OpenPlanPlace>> places;
    for (std::size_t i = 0; i < shown.size(); ++i)
      if (shown[i].source == source && std::ranges::find(receivers, shown[i].receiver) != receivers.end())
        places.emplace_back(shown[i].receiver, place_of(shown[i], distance_of(result, shown[i].channel), metrics[i]));
    std::ranges::stable_sort(places, {}, [](const auto& one) { return one.second.distance; });
    if (places.back().second.distance - places.front().second.distance < 1e-6)
      throw Error(Status::scene, fmt::format("--line: all receivers are as far from {}", source), wanted);
    std::vector<OpenPlanPlace> alone;
    for (const auto& [name, place] : places) alone.push_back(place);
    OfficeLine line{source, {}, open_plan(alone, noise)};
    for (std::size_t i = 0; i < places.size(); ++i)
      line.places.push_back({places[i].first, alone[i].distance, line.office.level[i],
                             noise ? std::optional(line.office.STI[i]) : std::nullopt});
    lines.push_back(std::move(line));
  }
  return lines;
}

const JsonFields<OfficeLine>& office_fields() {
  static const auto fields =
      JsonFields<OfficeLine>()
          .value("source", "", "Name of the source.", &OfficeLine::source)
          .value("D2S", "dB", "Decay of the A-weighted level of speech by doubled distance, D_2,S.",
                 [](const OfficeLine& line) { return line.office.D2S.value; })
          .value("LpAS_4m", "dB(A)", "Level of speech at 4 m, L_p,A,S,4m.",
                 [](const OfficeLine& line) { return line.office.level_4m.value; })
          .value("rC", "m", "Comfort distance, at which the level of speech is 45 dB(A).",
                 [](const OfficeLine& line) { return line.office.rC.value; })
          .value("rD", "m", "Distraction distance, at which STI is 0.5.",
                 [](const OfficeLine& line) { return line.office.rD.value; })
          .value("rP", "m", "Privacy distance, at which STI is 0.2.",
                 [](const OfficeLine& line) { return line.office.rP.value; })
          .value("LpAB", "dB(A)", "Level of the noise; null: not known.",
                 [](const OfficeLine& line) { return line.office.noise; })
          .value("reasons", "", "The reason for each number that is null, by its name.", reasons_of)
          .list("places", "The receivers of the line, by distance.", office_place_fields(), &OfficeLine::places);
  return fields;
}

std::string office_text(const OfficeLine& line) {
  std::string text = fmt::format("line from {} (ISO 3382-3)\n{:<14}{:>10}{:>14}{:>8}\n", line.source, "receiver",
                                 "distance", "Lp,A,S dB(A)", "STI");
  for (const OfficeLine::Place& place : line.places)
    text += fmt::format("{:<14}{:>8.2f} m{:>14.1f}{:>8}\n", place.receiver, place.distance, place.level,
                        place.STI ? fmt::format("{:.2f}", *place.STI) : "-");
  std::string numbers;
  const auto add = [&](const char* name, const OpenPlanValue& value, const char* unit) {
    if (value.value) numbers += fmt::format("{}{} {:.1f} {}", numbers.empty() ? "" : ", ", name, *value.value, unit);
  };
  add("D2,S", line.office.D2S, "dB");
  add("Lp,A,S,4m", line.office.level_4m, "dB(A)");
  add("rC", line.office.rC, "m");
  add("rD", line.office.rD, "m");
  add("rP", line.office.rP, "m");
  if (!numbers.empty()) text += numbers + "\n";
  for (const auto& [name, reason] : reasons_of(line)) text += fmt::format("no {}: {}\n", name, reason);
  return text;
}

}  // namespace fdtd
