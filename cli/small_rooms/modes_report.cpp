#include "cli/small_rooms/modes_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/documents.hpp"
#include "cli/small_rooms/notches_report.hpp"
#include "engine/notches/notch_fields.hpp"

namespace fdtd::cli {
namespace {

// A response of one source at one receiver, of one mode.
struct ModeLevel {
  const RoomModes* room;
  const RoomMode* mode;
  std::size_t channel;
};

const JsonFields<ModeLevel>& mode_level_fields() {
  static const auto fields =
      JsonFields<ModeLevel>()
          .value("source", "", "Source.",
                 [](const ModeLevel& one) { return one.room->sources[one.channel / one.room->receivers.size()]; })
          .value("receiver", "", "Receiver.",
                 [](const ModeLevel& one) { return one.room->receivers[one.channel % one.room->receivers.size()]; })
          .value("level", "dB",
                 "Pressure of the mode alone at its frequency, re the free field of the source at 1 m; null where it "
                 "does not decay.",
                 [](const ModeLevel& one) { return one.mode->level(one.channel); })
          .value("real", "1/s",
                 "Real part of the amplitude a: the impulse response holds Re(a exp((2 pi i frequency - decay) t)).",
                 [](const ModeLevel& one) { return one.mode->amplitude[one.channel].real(); })
          .value("imaginary", "1/s", "Its imaginary part.",
                 [](const ModeLevel& one) { return one.mode->amplitude[one.channel].imag(); });
  return fields;
}

struct ListedMode {
  const RoomModes* room;
  const RoomMode* mode;
};

const JsonFields<ListedMode>& mode_fields() {
  static const auto fields =
      JsonFields<ListedMode>()
          .value("frequency", "Hz", "Eigenfrequency.", [](const ListedMode& one) { return one.mode->frequency; })
          .value("frequency_error", "Hz", "Difference between two estimates from the same run.",
                 [](const ListedMode& one) { return one.mode->frequency_error; })
          .value("decay_time", "s", "Time of a decay of 60 dB; null where the mode does not decay.",
                 [](const ListedMode& one) { return one.mode->decay_time(); })
          .value("decay_time_error", "s", "Difference between two estimates from the same run.",
                 [](const ListedMode& one) { return one.mode->decay_time_error(); })
          .value("decay", "1/s", "Of the pressure, which falls as exp(-decay t).",
                 [](const ListedMode& one) { return one.mode->decay; })
          .value("multiplicity", "", "Least number of modes of this frequency and decay; never above `senders`.",
                 [](const ListedMode& one) { return one.mode->multiplicity; })
          .value("overlaps", "", "Whether it lies above schroeder_frequency.",
                 [](const ListedMode& one) { return one.mode->overlaps; })
          .list("levels", "One for each source and receiver of the scene.", mode_level_fields(),
                [](const ListedMode& one) {
                  std::vector<ModeLevel> levels;
                  for (std::size_t c = 0; c < one.mode->amplitude.size(); ++c)
                    levels.push_back({one.room, one.mode, c});
                  return levels;
                });
  return fields;
}

// JSON has no infinity.
std::optional<double> if_finite(double value) { return std::isfinite(value) ? std::optional(value) : std::nullopt; }

const JsonFields<ModesReport>& modes_fields() {
  static const auto fields =
      JsonFields<ModesReport>()
          .value("from", "Hz", "Lowest frequency.", [](const ModesReport& one) { return one.from; })
          .value("to", "Hz", "Highest frequency.", [](const ModesReport& one) { return one.to; })
          .value("duration", "s", "Length of the records.", [](const ModesReport& one) { return one.room->duration; })
          .value("used", "s",
                 "Part of the records that is used: behind the filters of the search, and above their noise.",
                 [](const ModesReport& one) { return one.room->used; })
          .value("resolution", "Hz", "1 / used. Shapes alone separate nearer modes.",
                 [](const ModesReport& one) { return one.room->resolution; })
          .value("volume", "m3", "Of the air.", [](const ModesReport& one) { return one.room->volume; })
          .value("schroeder_frequency", "Hz",
                 "2000 sqrt(T / V) by the median decay time of the modes; null where they do not decay.",
                 [](const ModesReport& one) { return if_finite(one.room->schroeder_frequency); })
          .value("senders", "", "Number of sources of the run, those of the scene included.",
                 [](const ModesReport& one) { return one.room->senders; })
          .value("expected_count", "", "Number of modes in the band by volume, surface and edges.",
                 [](const ModesReport& one) { return one.room->expected_count; })
          .value("left_out", "", "Number of exponentials of the records that failed a criterion.",
                 [](const ModesReport& one) { return one.room->left_out; })
          .value(
              "residual", "",
              "Root mean square of what the exponentials leave of the records, over that of the records; of the band "
              "where it is largest.",
              [](const ModesReport& one) { return one.room->residual; })
          .list("modes", "Ascending in frequency.", mode_fields(),
                [](const ModesReport& one) {
                  std::vector<ListedMode> modes;
                  for (const RoomMode& mode : one.room->modes) modes.push_back({one.room, &mode});
                  return modes;
                })
          .list("notches",
                "Notches of first reflections in the band, of the first 64 sources and receivers, with dips of this "
                "run's responses.",
                pair_notches_fields(), [](const ModesReport& one) { return one.room->notches; })
          .value("notes", "", "Remarks.", [](const ModesReport& one) { return one.room->notes; })
          .value("outputs", "", "Paths of the files that were written.",
                 [](const ModesReport& one) { return one.outputs; });
  return fields;
}

std::string plus_minus(double value, double error, int digits) {
  const double least = std::pow(10.0, -digits);
  return fmt::format("{:.{}f} +- {:.{}f}", value, digits, std::max(error, least), digits);
}

std::string time_text(const RoomMode& mode) {
  const auto time = mode.decay_time();
  return time ? plus_minus(*time, *mode.decay_time_error(), 3) : "no decay";
}

// Its level at each receiver, of one source.
std::vector<std::string> levels_text(const RoomMode& mode, std::size_t source, std::size_t receivers) {
  std::vector<std::string> cells;
  for (std::size_t r = 0; r < receivers; ++r) {
    const auto level = mode.level(source * receivers + r);
    cells.push_back(level ? fmt::format("{:.1f}", *level) : "-");
  }
  return cells;
}

std::string summary_of(const ModesReport& report) {
  const RoomModes& room = *report.room;
  std::size_t count = 0;
  for (const RoomMode& mode : room.modes) count += mode.multiplicity;
  std::string text = fmt::format(
      "{} mode{} from {:g} to {:g} Hz; a room of its volume, surface and edges has about {:.0f}\n"
      "records of {:.3g} s, of which {:.3g} s are used: shapes alone separate modes nearer than {:.2g} Hz\n"
      "errors: differences between two estimates from one run; the error of the grid is not among them\n",
      count, count == 1 ? "" : "s", report.from, report.to, room.expected_count, room.duration, room.used,
      room.resolution);
  if (std::isfinite(room.schroeder_frequency) && room.schroeder_frequency < report.to)
    text += fmt::format(
        "above the Schroeder frequency, {:.0f} Hz, modes overlap: the list may lack some there (marked *), and levels "
        "of "
        "single modes say little\n",
        room.schroeder_frequency);
  for (const std::string& note : room.notes) text += "note: " + note + "\n";
  return text;
}

}  // namespace

DocumentFields modes_document() { return modes_fields().all(); }

nlohmann::ordered_json modes_json(const ModesReport& report) { return modes_fields().write(report); }

std::string modes_text(const ModesReport& report) {
  const RoomModes& room = *report.room;
  std::string text = summary_of(report);
  const auto multiplicity_text = [&room](const RoomMode& mode) {
    return fmt::format("{}{}{}", mode.multiplicity < room.senders ? "" : ">=", mode.multiplicity,
                       mode.overlaps ? "*" : "");
  };
  for (std::size_t s = 0; s < room.sources.size(); ++s) {
    text += fmt::format("source {}: levels in dB re its free field at 1 m\n", room.sources[s]);
    std::string head = fmt::format("  {:>17}  {:>15}  {:>5}", "frequency, Hz", "T60, s", "modes");
    for (const std::string& name : room.receivers) head += fmt::format("  {:>6}", name);
    text += head + "\n";
    for (const RoomMode& mode : room.modes) {
      std::string row = fmt::format("  {:>17}  {:>15}  {:>5}", plus_minus(mode.frequency, mode.frequency_error, 3),
                                    time_text(mode), multiplicity_text(mode));
      const auto cells = levels_text(mode, s, room.receivers.size());
      for (std::size_t r = 0; r < cells.size(); ++r)
        row += fmt::format("  {:>{}}", cells[r], std::max<std::size_t>(6, room.receivers[r].size()));
      text += row + "\n";
    }
  }
  return text + wall_dips_text(room.notches, "dips of these responses near notches of first reflections");
}

}  // namespace fdtd::cli
