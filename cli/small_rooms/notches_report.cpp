#include "cli/small_rooms/notches_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/documents.hpp"
#include "engine/notches/notch_fields.hpp"

namespace fdtd::cli {
namespace {

const JsonFields<NotchesReport>& notches_fields() {
  static const auto fields =
      JsonFields<NotchesReport>()
          .value("from", "Hz", "Lowest frequency.", &NotchesReport::from)
          .value("to", "Hz", "Highest frequency.", &NotchesReport::to)
          .list("pairs", "One for each source and receiver.", pair_notches_fields(), &NotchesReport::pairs)
          .value("notes", "", "Remarks.", &NotchesReport::notes);
  return fields;
}

std::string dip_text(const PairNotches& pair, const WallNotch& notch) {
  if (!pair.computed) return "";
  return notch.dip ? fmt::format("  {:.1f} Hz, {:.1f} dB", notch.dip->frequency, notch.dip->level) : "  none";
}

std::string pair_text(const PairNotches& pair) {
  std::string text = fmt::format("{} at {}, {:.2f} m: ", pair.source, pair.receiver, pair.distance);
  if (at_one_place(pair)) return text + "at one place: no reflection takes as much from the direct sound\n";
  if (pair.blocked) return text + "something stands in the direct path\n";
  if (pair.notches.empty()) return text + "no notch\n";
  std::size_t width = 4;
  for (const WallNotch& one : pair.notches) width = std::max(width, one.wall.size());
  text += fmt::format("{} notch{}\n  {:>8}  {:>9}  {:<{}}  {:>9}  {:<24}{}\n", pair.notches.size(),
                      pair.notches.size() == 1 ? "" : "es", "Hz", "depth, dB", "wall", width, "longer, m",
                      "reflects at, m", pair.computed ? "  dip of the run" : "");
  for (const WallNotch& one : pair.notches)
    text += fmt::format("  {:>8.1f}  {:>9.1f}  {:<{}}  {:>9.3f}  {:<24}{}\n", one.frequency, one.depth, one.wall, width,
                        one.extra, fmt::format("{:.2f}, {:.2f}, {:.2f}", one.at[0], one.at[1], one.at[2]),
                        dip_text(pair, one));
  return text;
}

}  // namespace

DocumentFields notches_document() { return notches_fields().all(); }

std::vector<std::string> notches_notes(const Scene& scene) {
  std::vector<std::string> notes;
  const auto patterned = [](const auto& one) { return one.directivity.pattern != "omni"; };
  if (std::ranges::any_of(scene.sources, patterned) || std::ranges::any_of(scene.receivers, patterned))
    notes.emplace_back("sources and receivers count as omnidirectional: a directional one has other depths");
  if (!scene.moving.empty()) notes.emplace_back("moving receivers are left out");
  return notes;
}

nlohmann::ordered_json notches_json(const NotchesReport& report) { return notches_fields().write(report); }

std::string wall_dips_text(const std::vector<PairNotches>& pairs, const std::string& heading) {
  std::size_t notches = 0, wall = 4;
  std::vector<std::pair<std::string, const WallNotch*>> dips;
  for (const PairNotches& pair : pairs)
    for (const WallNotch& one : pair.notches) {
      notches += pair.computed ? 1 : 0;
      if (!one.dip) continue;
      dips.emplace_back(pair.source + " at " + pair.receiver, &one);
      wall = std::max(wall, one.wall.size());
    }
  if (notches == 0) return "";
  std::string text = fmt::format("{}: {} of {} notch{}\n", heading, dips.size(), notches, notches == 1 ? "" : "es");
  if (dips.empty()) return text;
  text += fmt::format("  {:>8}  {:>6}  {:<{}}  {:>9}  {:<24}\n", "dip, Hz", "dB", "wall", wall, "notch, Hz",
                      "reflects at, m");
  for (const auto& [name, one] : dips)
    text += fmt::format("  {:>8.1f}  {:>6.1f}  {:<{}}  {:>9.1f}  {:<24}  {}\n", one->dip->frequency, one->dip->level,
                        one->wall, wall, one->frequency,
                        fmt::format("{:.2f}, {:.2f}, {:.2f}", one->at[0], one->at[1], one->at[2]), name);
  return text;
}

std::string notches_text(const NotchesReport& report) {
  std::string text =
      fmt::format("notches of first reflections from {:g} to {:g} Hz, at least {:g} dB below the direct sound alone\n",
                  report.from, report.to, least_notch);
  for (const PairNotches& pair : report.pairs) text += pair_text(pair);
  for (const std::string& note : report.notes) text += "note: " + note + "\n";
  return text;
}

}  // namespace fdtd::cli
