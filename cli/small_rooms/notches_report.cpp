#include "cli/small_rooms/notches_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/documents.hpp"
#include "engine/files/json_fields.hpp"

namespace fdtd::cli {
namespace {

const JsonFields<WallNotch>& notch_fields() {
  static const auto fields =
      JsonFields<WallNotch>()
          .value("wall", "", "Side of the box, as `x_min`, or name of the surface of the mesh.", &WallNotch::wall)
          .value("at", "m", "x, y, z, where the wall reflects.", &WallNotch::at)
          .value("extra", "m", "Path of the reflection less that of the direct sound.", &WallNotch::extra)
          .value("frequency", "Hz", "Of the notch.", &WallNotch::frequency)
          .value("depth", "dB", "Level of the direct sound alone, re its sum with this reflection; 3 or more.",
                 &WallNotch::depth)
          .value("dip", "Hz",
                 "Nearby dip of the run's response, averaged over a twelfth of an octave: its deepest local minimum "
                 "within a twelfth of an octave of `frequency`; null without one and without `--result`.",
                 [](const WallNotch& one) { return one.dip ? std::optional(one.dip->frequency) : std::nullopt; })
          .value("dip_level", "dB", "Of that dip, re the mean power of the octave around it; -3 or less.",
                 [](const WallNotch& one) { return one.dip ? std::optional(one.dip->level) : std::nullopt; });
  return fields;
}

const JsonFields<PairNotches>& pair_fields() {
  static const auto fields =
      JsonFields<PairNotches>()
          .value("source", "", "Source.", &PairNotches::source)
          .value("receiver", "", "Receiver.", &PairNotches::receiver)
          .value("distance", "m", "Path of the direct sound.", &PairNotches::distance)
          .value("blocked", "", "Whether something stands in the direct path: there are no notches then.",
                 &PairNotches::blocked)
          .value("computed", "", "Whether a response of a run was searched for dips.", &PairNotches::computed)
          .list("notches", "Ascending in frequency.", notch_fields(), &PairNotches::notches);
  return fields;
}

const JsonFields<NotchesReport>& notches_fields() {
  static const auto fields =
      JsonFields<NotchesReport>()
          .value("from", "Hz", "Lowest frequency.", &NotchesReport::from)
          .value("to", "Hz", "Highest frequency.", &NotchesReport::to)
          .list("pairs", "One for each source and receiver.", pair_fields(), &NotchesReport::pairs)
          .value("notes", "", "Remarks.", &NotchesReport::notes);
  return fields;
}

std::string dip_text(const PairNotches& pair, const WallNotch& notch) {
  if (!pair.computed) return "";
  return notch.dip ? fmt::format("  {:.1f} Hz, {:.1f} dB", notch.dip->frequency, notch.dip->level) : "  none";
}

std::string pair_text(const PairNotches& pair) {
  std::string text = fmt::format("{} at {}, {:.2f} m: ", pair.source, pair.receiver, pair.distance);
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

std::string notches_text(const NotchesReport& report) {
  std::string text =
      fmt::format("notches of first reflections from {:g} to {:g} Hz, at least {:g} dB below the direct sound alone\n",
                  report.from, report.to, least_notch);
  for (const PairNotches& pair : report.pairs) text += pair_text(pair);
  for (const std::string& note : report.notes) text += "note: " + note + "\n";
  return text;
}

}  // namespace fdtd::cli
