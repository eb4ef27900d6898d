#include "engine/reports/result_page/targets.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/problem.hpp"
#include "engine/responses/band_metrics.hpp"

namespace fdtd {
namespace {

enum Wanted : std::size_t { EDT, T20, T30, C50, C80, D50, Ts, G };  // of named_figures

// DIN 18041:2016-03, table 1 and the equations of 4.2.2.
struct RoomGroup {
  const char *use, *group, *of;
  double slope, offset;  // s
  double least, most;    // m3
};
constexpr RoomGroup groups[] = {{"speech", "A2", "speech and lectures", 0.37, -0.14, 50.0, 5000.0},
                                {"teaching", "A3", "teaching and communication", 0.32, -0.17, 30.0, 5000.0},
                                {"inclusive", "A4", "inclusive teaching and communication", 0.26, -0.14, 30.0, 500.0},
                                {"music", "A1", "music", 0.45, 0.07, 30.0, 1000.0}};
// Of T over its target, by octave.
constexpr std::array<double, 3> group_range[] = {{63.0, 0.5, 1.7},    {125.0, 0.65, 1.45}, {250.0, 0.8, 1.2},
                                                 {500.0, 0.8, 1.2},   {1000.0, 0.8, 1.2},  {2000.0, 0.8, 1.2},
                                                 {4000.0, 0.65, 1.2}, {8000.0, 0.5, 1.2}};

void add_times(UseTargets& targets, const std::vector<std::array<double, 3>>& band) {
  for (const std::size_t figure : {T20, T30}) targets.figures.push_back({figure, band});
}

UseTargets of_group(const RoomGroup& room, double volume) {
  UseTargets targets{room.use, fmt::format("DIN 18041:2016, {}", room.group), {}, {}};
  if (volume < room.least || volume >= room.most) {
    targets.about =
        fmt::format("{} has no target: it is for {} in {:g} to {:g} m\u00b3, and the room has {:.4g} m\u00b3",
                    targets.source, room.of, room.least, room.most, volume);
    return targets;
  }
  const double time = room.slope * std::log10(volume) + room.offset;
  targets.about = fmt::format("{} ({}): T = {:.2f} s in {:.4g} m\u00b3, of the occupied room, with its range by octave",
                              targets.source, room.of, time, volume);
  std::vector<std::array<double, 3>> band;
  for (const auto& [centre, low, high] : group_range) band.push_back({centre, low * time, high * time});
  add_times(targets, band);
  return targets;
}

UseTargets of_studio(double volume) {
  UseTargets targets{"studio", "EBU Tech 3276, ITU-R BS.1116", {}, {}};
  constexpr double width = 0.05;  // s, about the mean
  const double nominal = 0.25 * std::cbrt(volume / 100.0), time = std::clamp(nominal, 0.2, 0.4);
  targets.about = fmt::format(
      "{}: the mean T from 200 Hz to 4 kHz is {:.2f} s in {:.4g} m\u00b3{}, each octave within {:g} s", targets.source,
      time, volume, nominal == time ? "" : ", the end of the range of 0.2 to 0.4 s of EBU Tech 3276", width);
  std::vector<std::array<double, 3>> band;
  for (const double centre : {250.0, 500.0, 1000.0, 2000.0, 4000.0})
    band.push_back({centre, time - width, time + width});
  add_times(targets, band);
  return targets;
}

UseTargets of_hall(double volume) {
  UseTargets targets{"concert", "ISO 3382-1:2009, table A.1", {}, {}};
  if (volume > 25000.0) {
    targets.about = fmt::format("{} has no range: it is for halls up to 25000 m\u00b3, and the room has {:.4g} m\u00b3",
                                targets.source, volume);
    return targets;
  }
  targets.single_positions = true;
  targets.about =
      targets.source +
      ": typical ranges at single positions in unoccupied concert and multi-purpose halls, of means over the "
      "octaves of 500 and 1000 Hz; no targets";
  for (const auto& [figure, low, high] :
       {std::tuple(EDT, 1.0, 3.0), {C80, -5.0, 5.0}, {D50, 0.3, 0.7}, {Ts, 0.06, 0.26}, {G, -2.0, 10.0}})
    targets.figures.push_back({figure, {{500.0, low, high}, {1000.0, low, high}}});
  return targets;
}

}  // namespace

const std::vector<std::string>& room_uses() {
  static const std::vector<std::string> uses = {"speech", "teaching", "inclusive", "music", "concert", "studio"};
  return uses;
}

UseTargets targets_of(const std::string& use, double volume) {
  for (const RoomGroup& room : groups)
    if (use == room.use) return of_group(room, volume);
  if (use == "studio") return of_studio(volume);
  if (use == "concert") return of_hall(volume);
  throw Error(Status::scene, fmt::format("there is no use {}", in_quotes(use)),
              fmt::format("use one of {}", fmt::join(room_uses(), ", ")));
}

}  // namespace fdtd
