#include "cli/small_rooms/place_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/documents.hpp"
#include "cli/small_rooms/notches_report.hpp"
#include "engine/notches/notch_fields.hpp"

namespace fdtd::cli {
namespace {

constexpr std::size_t places_listed = 10;  // of the best places

const JsonFields<RatedPlace>& rated_place_fields() {
  static const auto fields =
      JsonFields<RatedPlace>()
          .value("position", "m", "x, y, z.", &RatedPlace::position)
          .value("flatness", "dB", "Standard deviation of level over frequency, root mean square over the seats.",
                 &RatedPlace::flatness)
          .value("evenness", "dB",
                 "Standard deviation of level over the seats, root mean square over frequency; null of one seat.",
                 &RatedPlace::evenness)
          .value("level", "dB", "Mean level, re the free field of the source at 1 m.", &RatedPlace::level);
  return fields;
}

const JsonFields<PlaceReport>& place_fields() {
  static const auto fields =
      JsonFields<PlaceReport>()
          .value("moved", "", "The source or receiver that is moved.",
                 [](const PlaceReport& one) { return one.request->moved; })
          .value("seats", "", "Receivers where a source moves, sources where a receiver does.",
                 [](const PlaceReport& one) { return one.result->seats; })
          .value("target", "", "`flat` or `even`: the figure by which places are ordered.",
                 [](const PlaceReport& one) { return std::string(one.request->even ? "even" : "flat"); })
          .value("from", "Hz", "Lowest frequency.", [](const PlaceReport& one) { return one.request->waves.from; })
          .value("to", "Hz", "Highest frequency.", [](const PlaceReport& one) { return one.request->waves.to; })
          .value("duration", "s", "Length of the records.", [](const PlaceReport& one) { return one.result->duration; })
          .value("candidates", "", "Number of places.",
                 [](const PlaceReport& one) { return one.result->places.size(); })
          .object("now", "Where it is in the scene.", rated_place_fields(),
                  [](const PlaceReport& one) { return one.result->now; })
          .list("best", "The best ten places.", rated_place_fields(),
                [](const PlaceReport& one) {
                  std::vector<RatedPlace> best;
                  for (std::size_t i = 0; i < std::min(places_listed, one.result->order.size()); ++i)
                    best.push_back(one.result->places[one.result->order[i]]);
                  return best;
                })
          .list("notches",
                "Notches of first reflections at the best place, one object for each of the first 64 seats, with dips "
                "of its responses.",
                pair_notches_fields(), [](const PlaceReport& one) { return one.result->notches; })
          .value("notes", "", "Remarks.", [](const PlaceReport& one) { return one.result->notes; })
          .value("outputs", "", "Paths of the files that were written.",
                 [](const PlaceReport& one) { return one.outputs; });
  return fields;
}

std::string row_of(const RatedPlace& place, const std::string& name) {
  return fmt::format("  {:>4}  {:>7.2f} {:>7.2f} {:>7.2f}  {:>8.2f}  {:>8}  {:>6.1f}\n", name, place.position[0],
                     place.position[1], place.position[2], place.flatness,
                     place.evenness ? fmt::format("{:.2f}", *place.evenness) : "-", place.level);
}

}  // namespace

DocumentFields place_document() { return place_fields().all(); }

nlohmann::ordered_json place_json(const PlaceReport& report) { return place_fields().write(report); }

std::string place_text(const PlaceReport& report) {
  const RoomPlaces& result = *report.result;
  const PlacesRequest& request = *report.request;
  std::string text = fmt::format(
      "{} {} at {} place{}, {} to {} Hz, for {}\n"
      "flatness: standard deviation of level over frequency (sixth of an octave), over seats as root mean square; "
      "evenness: the same over seats\n"
      "  {:>4}  {:>7} {:>7} {:>7}  {:>8}  {:>8}  {:>6}\n",
      request.receiver ? "receiver" : "source", request.moved, result.places.size(),
      result.places.size() == 1 ? "" : "s", request.waves.from, request.waves.to, fmt::join(result.seats, ", "), "",
      "x, m", "y, m", "z, m", "flat, dB", "even, dB", "dB");
  text += row_of(result.now, "now");
  for (std::size_t i = 0; i < std::min(places_listed, result.order.size()); ++i)
    text += row_of(result.places[result.order[i]], fmt::format("{}", i + 1));
  text += wall_dips_text(result.notches, "dips left at the best place near notches of first reflections");
  for (const std::string& note : result.notes) text += "note: " + note + "\n";
  return text;
}

}  // namespace fdtd::cli
