#include "engine/measured/room_figures.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace fdtd {
namespace {

OctaveFigures all_missing(const std::string& reason) {
  OctaveFigures figures;
  for (Figure& one : figures) one.reason = reason;
  return figures;
}

// Puts an octave among those of all pairs, in its order.
void add_octave(RoomFigures& figures, double centre) {
  const auto place = std::ranges::lower_bound(figures.centres, centre);
  if (place != figures.centres.end() && *place == centre) return;
  const auto at = place - figures.centres.begin();
  figures.centres.insert(place, centre);
  for (PairFigures& pair : figures.pairs) {
    pair.octaves.insert(pair.octaves.begin() + at, all_missing("the octave is not within the valid band"));
    if (!pair.from.empty()) pair.from.insert(pair.from.begin() + at, BandOrigin::unknown);
  }
}

}  // namespace

std::size_t find_pair(const RoomFigures& figures, const std::string& source, const std::string& receiver) {
  const auto found = std::ranges::find_if(
      figures.pairs, [&](const PairFigures& pair) { return pair.source == source && pair.receiver == receiver; });
  return static_cast<std::size_t>(found - figures.pairs.begin());
}

void add_response(RoomFigures& figures, const std::string& source, const std::string& receiver,
                  const Metrics& metrics) {
  for (const BandMetrics& band : metrics.bands) add_octave(figures, band.centre);
  PairFigures pair{source, receiver, {}, {}};
  for (const double centre : figures.centres) {
    const auto band = std::ranges::find(metrics.bands, centre, &BandMetrics::centre);
    if (band == metrics.bands.end()) {
      pair.octaves.push_back(
          all_missing(fmt::format("the octave is not within the valid band, to {:.6g} Hz", metrics.valid_bandwidth)));
      pair.from.push_back(BandOrigin::unknown);
      continue;
    }
    OctaveFigures octave;
    for (std::size_t f = 0; f < main_figures; ++f) octave[f] = (*band).*named_figures[f].figure;
    pair.octaves.push_back(std::move(octave));
    pair.from.push_back(band->from);
  }
  figures.pairs.push_back(std::move(pair));
}

}  // namespace fdtd
