#include "engine/responses/speech/open_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "engine/responses/speech/useful_ratio.hpp"

namespace fdtd {
namespace {

constexpr double comfortable = 45.0, distracting = 0.5, not_private = 0.2;  // dB(A), STI, STI

struct StraightLine {
  double slope = 0.0, at_zero = 0.0;
};

// Least squares.
StraightLine line_through(const std::vector<std::pair<double, double>>& points) {
  double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
  for (const auto& [px, py] : points) x += px, y += py;
  x /= static_cast<double>(points.size()), y /= static_cast<double>(points.size());
  for (const auto& [px, py] : points) xx += (px - x) * (px - x), xy += (px - x) * (py - y);
  if (!(xx > 0.0)) throw std::invalid_argument("open_plan: places at different distances are needed");
  return {xy / xx, y - xy / xx * x};
}

OpenPlanValue no_value(std::string reason) { return {std::nullopt, std::move(reason)}; }

// Where the line of STI over distance falls to a value.
OpenPlanValue falls_to(const StraightLine& line, double index) {
  if (!(line.slope < 0.0)) return no_value("STI does not fall with distance");
  const double distance = (index - line.at_zero) / line.slope;
  if (!(distance > 0.0)) return no_value(fmt::format("STI is below {:.2f} at all distances", index));
  return {distance, {}};
}

double speech_index(const OpenPlanPlace& place, const SpeechLevels& levels) {
  const SpeechOctaves factors = level_factors(levels);
  SpeechOctaves mti{};
  for (std::size_t k = 0; k < speech_octave_count; ++k)
    mti[k] = modulation_transfer_index(place.modulation[k], factors[k]);
  return speech_transmission_index(mti);
}

void add_decay(OpenPlan& office, const std::vector<OpenPlanPlace>& places) {
  std::vector<std::pair<double, double>> points;
  for (std::size_t i = 0; i < places.size(); ++i)
    if (places[i].distance >= open_plan_nearest && places[i].distance <= open_plan_farthest)
      points.emplace_back(std::log2(places[i].distance), office.level[i]);
  if (points.size() < open_plan_places) {
    const std::string reason = fmt::format("{} of the places lie {:g} to {:g} m from the source, {} are needed",
                                           points.size(), open_plan_nearest, open_plan_farthest, open_plan_places);
    office.D2S = office.level_4m = office.rC = no_value(reason);
    return;
  }
  const StraightLine line = line_through(points);
  office.D2S.value = -line.slope;
  office.level_4m.value = line.at_zero + 2.0 * line.slope;
  if (line.slope < 0.0)
    office.rC.value = std::exp2((comfortable - line.at_zero) / line.slope);
  else
    office.rC.reason = "the level does not fall with distance";
}

}  // namespace

// ISO 3382-3:2012, table 1; the sum has the 57.4 dB(A) that the standard states.
const SpeechOctaves open_plan_speech = {49.9, 54.3, 58.0, 52.0, 44.8, 38.8, 33.5};

OpenPlan open_plan(const std::vector<OpenPlanPlace>& places, const std::optional<SpeechOctaves>& noise) {
  if (places.size() < 2) throw std::invalid_argument("open_plan: two places are needed");
  constexpr double level_at_10m = -20.0;  // of the free field, to which G is relative
  OpenPlan office;
  if (noise) office.noise = a_weighted(*noise);
  std::vector<std::pair<double, double>> indices;
  for (const OpenPlanPlace& place : places) {
    SpeechLevels levels;
    levels.noise = noise;
    for (std::size_t k = 0; k < speech_octave_count; ++k)
      levels.speech[k] = open_plan_speech[k] + level_at_10m + place.strength[k];
    office.level.push_back(a_weighted(levels.speech));
    if (!noise) continue;
    office.STI.push_back(speech_index(place, levels));
    indices.emplace_back(place.distance, office.STI.back());
  }
  add_decay(office, places);
  if (!noise) {
    office.rD = office.rP = no_value("the noise of the room is needed");
    return office;
  }
  const StraightLine line = line_through(indices);
  office.rD = falls_to(line, distracting);
  const bool any_private = std::ranges::any_of(office.STI, [](double index) { return index < not_private; });
  office.rP = any_private ? falls_to(line, not_private) : no_value("STI is 0.20 or more at all places");
  return office;
}

}  // namespace fdtd
