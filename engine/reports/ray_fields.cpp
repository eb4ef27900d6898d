#include "engine/reports/ray_fields.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace fdtd {
namespace {

struct SpreadOfOctave {
  double centre = 0.0;  // Hz
  RaySpread spread;
};

std::vector<SpreadOfOctave> spreads_of(const AboveRecord& record) {
  std::vector<SpreadOfOctave> list;
  for (std::size_t o = 0; o < std::min(record.octaves.size(), record.spread.size()); ++o)
    list.push_back({record.octaves[o], record.spread[o]});
  return list;
}

const JsonFields<SpreadOfOctave>& spread_fields() {
  using Of = SpreadOfOctave;
  static const auto fields =
      JsonFields<Of>()
          .value("centre", "Hz", "Centre of the octave.", &Of::centre)
          .value("T20", "%",
                 "Half of the relative difference of T20 between two halves of the rays, the largest of all receivers; "
                 "null: no decay has a T20.",
                 [](const Of& of) { return of.spread.T20 ? std::optional(100.0 * *of.spread.T20) : std::nullopt; })
          .value("C80", "dB", "The same of C80.", [](const Of& of) { return of.spread.C80; })
          .value("G", "dB", "The same of G.", [](const Of& of) { return of.spread.G; });
  return fields;
}

}  // namespace

const JsonFields<AboveRecord>& ray_fields() {
  static const auto fields =
      JsonFields<AboveRecord>()
          .value("count", "", "Rays of each source, the fewest of all.", &AboveRecord::rays)
          .value(
              "end", "",
              "Why there are no more: `silent`, image sources have all sound; `converged`, T20 of their halves agrees "
              "within 3 %; `asked`, `above.rays` is a number; `most`, \"auto\" has no more; `work`, more would take "
              "too long.",
              [](const AboveRecord& of) { return ray_end_names[static_cast<std::size_t>(of.ray_end)]; })
          .list("spread", "How far figures depend on the draw of rays, by octave.", spread_fields(), spreads_of)
          .elements("rays were traced");
  return fields;
}

}  // namespace fdtd
