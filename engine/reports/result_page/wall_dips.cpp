#include "engine/reports/result_page/wall_dips.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/notches/notch_fields.hpp"
#include "engine/reports/page.hpp"

namespace fdtd {
namespace {

// The least value of the curve within a 24th of an octave of `frequency`.
double lowest_near(const Series& curve, double frequency) {
  const double reach = std::exp2(1.0 / 24.0);
  double lowest = HUGE_VAL;
  for (const auto& [at, level] : curve.points)
    if (at >= frequency / reach && at <= frequency * reach) lowest = std::min(lowest, level);
  return lowest;
}

}  // namespace

std::vector<PairNotches> stored_notches(const Result& result) { return read_pair_notches(result.notches_json); }

const PairNotches* notches_of_pair(const std::vector<PairNotches>& pairs, const std::string& source,
                                   const std::string& receiver) {
  const auto found = std::ranges::find_if(
      pairs, [&](const PairNotches& one) { return one.source == source && one.receiver == receiver; });
  return found == pairs.end() ? nullptr : &*found;
}

std::string wall_dips_html(const PairNotches* pair, const std::string& name) {
  if (pair == nullptr) return "";
  const auto said = [](const std::string& text) { return "<p class=\"quiet\">" + text + "</p>\n"; };
  if (pair->blocked) return said("Something stands in the direct path: first reflections make no notches.");
  const std::size_t count = pair->notches.size();
  const auto dips =
      static_cast<std::size_t>(std::ranges::count_if(pair->notches, [](const WallNotch& one) { return !!one.dip; }));
  if (count == 0) return said(fmt::format("No first reflection takes {:g} dB from the direct sound.", least_notch));
  if (dips == 0)
    return said(
        fmt::format("{} notch{} of first reflections, none of them a dip of this response: other reflections "
                    "fill {}.",
                    count, count == 1 ? "" : "es", count == 1 ? "it" : "them"));
  Table table{{"notch Hz", "wall", "depth dB", "path longer m", "reflects at m", "dip Hz", "dip dB"}, {}};
  table.caption = fmt::format("Dips near notches of first reflections, {}: {} of {}", name, dips, count);
  for (const WallNotch& one : pair->notches)
    if (one.dip)
      table.rows.push_back({fmt::format("{:.1f}", one.frequency), one.wall, fmt::format("{:.1f}", one.depth),
                            fmt::format("{:.3f}", one.extra),
                            fmt::format("{:.2f}, {:.2f}, {:.2f}", one.at[0], one.at[1], one.at[2]),
                            fmt::format("{:.1f}", one.dip->frequency), fmt::format("{:.1f}", one.dip->level)});
  return to_html(table) +
         said(
             "Depth: the direct sound alone, re its sum with this reflection. Dip: the response averaged over a "
             "twelfth of an octave, re the octave around it; it may have other causes, too.");
}

void mark_wall_dips(Plot& spectrum, const PairNotches* pair) {
  if (pair == nullptr || spectrum.series.empty() || !(spectrum.y.high > spectrum.y.low)) return;
  Series marks{"dips near notches of walls", {}, false, false, 6, true};
  for (const WallNotch& one : pair->notches) {
    if (!one.dip || one.dip->frequency < spectrum.x.low || one.dip->frequency > spectrum.x.high) continue;
    const double level = lowest_near(spectrum.series[0], one.dip->frequency);
    if (!std::isfinite(level)) continue;
    marks.points.emplace_back(one.dip->frequency, spectrum.y.high);
    marks.points.emplace_back(one.dip->frequency, level);
    marks.points.emplace_back(one.dip->frequency, std::nan(""));
  }
  if (!marks.points.empty()) spectrum.series.push_back(std::move(marks));
}

}  // namespace fdtd
