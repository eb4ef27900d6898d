// Room-acoustic figures by pair of source and receiver, octave by octave: what was measured in a room, read from a file,
// or what a run gives for it.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "engine/responses/band_metrics.hpp"
#include "engine/responses/metrics.hpp"

namespace fdtd {

// Those of ISO 3382-1, in the order and units of named_figures: s, dB, D50 as a fraction. Each has a value, or the
// reason why it is missing.
using OctaveFigures = std::array<Figure, main_figures>;

struct PairFigures {
  std::string source, receiver;
  std::vector<OctaveFigures> octaves;  // one for each of RoomFigures::centres
  // The part of the response that makes each octave; empty: not known.
  std::vector<BandOrigin> from = {};
};

struct NamedPosition {
  std::string name;
  std::array<double, 3> position{};  // m
};

struct RoomFigures {
  std::vector<double> centres;                                  // Hz: of nominal_octaves(), increasing
  std::vector<PairFigures> pairs;                               // no two with the same names
  std::vector<NamedPosition> sources = {}, receivers = {};      // where they are stated
  std::string other_octaves = "not stated in the measurement";  // why there are no more
  std::vector<std::string> remarks = {};                        // on what a file holds beside these figures
};

// The index of a pair with these names; pairs.size(): none.
std::size_t find_pair(const RoomFigures& figures, const std::string& source, const std::string& receiver);

// Adds what was measured of a response: its octaves, all others of `figures` stay and are missing in it. Octaves of
// which `figures` has none yet are added to all pairs.
void add_response(RoomFigures& figures, const std::string& source, const std::string& receiver, const Metrics& metrics);

}  // namespace fdtd
