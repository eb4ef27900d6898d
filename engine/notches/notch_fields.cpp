#include "engine/notches/notch_fields.hpp"

#include <optional>

namespace fdtd {
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
                 "within a twelfth of an octave of `frequency`; null without one, and without a run.",
                 [](const WallNotch& one) { return one.dip ? std::optional(one.dip->frequency) : std::nullopt; })
          .value("dip_level", "dB", "Of that dip, re the mean power of the octave around it; -3 or less.",
                 [](const WallNotch& one) { return one.dip ? std::optional(one.dip->level) : std::nullopt; });
  return fields;
}

}  // namespace

const JsonFields<PairNotches>& pair_notches_fields() {
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

std::vector<PairNotches> read_pair_notches(const std::string& text) {
  std::vector<PairNotches> pairs;
  if (text.empty()) return pairs;
  for (const auto& json : nlohmann::json::parse(text)) {
    PairNotches& pair = pairs.emplace_back();
    json.at("source").get_to(pair.source);
    json.at("receiver").get_to(pair.receiver);
    json.at("distance").get_to(pair.distance);
    json.at("blocked").get_to(pair.blocked);
    json.at("computed").get_to(pair.computed);
    for (const auto& one : json.at("notches")) {
      WallNotch& notch = pair.notches.emplace_back();
      one.at("wall").get_to(notch.wall);
      one.at("at").get_to(notch.at);
      one.at("extra").get_to(notch.extra);
      one.at("frequency").get_to(notch.frequency);
      one.at("depth").get_to(notch.depth);
      if (!one.at("dip").is_null()) notch.dip = {one.at("dip").get<double>(), one.at("dip_level").get<double>()};
    }
  }
  return pairs;
}

}  // namespace fdtd
