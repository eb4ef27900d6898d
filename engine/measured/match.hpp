// How the figures of a run differ from those that were measured in the room: by pair and octave, in their units and in
// just noticeable differences (ISO 3382-1:2009, table A.1).
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "engine/measured/room_figures.hpp"

namespace fdtd {

// The just noticeable difference of named_figures[figure] at a value, in the unit of the figure: 5 % of decay times (T20
// and T30 as EDT), 1 dB of C50 (as C80), C80 and G, 0.05 of D50, 10 ms of Ts.
double just_noticeable(std::size_t figure, double value);

// A pair of the run and the pair of the measurement with which it is compared, where their names differ.
struct PairNames {
  std::string source, receiver, measured_source, measured_receiver;
};

// How messages call the run and the measurement, or two runs.
struct MatchWords {
  std::string run = "the run", measured = "the measurement";
  std::string of_run = "run", of_measured = "measured";  // before a reason
  std::string no_pair = "name them, as in --pair S1:R1=LS1:MP1: source and receiver of the run, then those measured";
};
// Of two runs, "B" and "A".
MatchWords words_of_runs();

struct MatchOptions {
  std::vector<PairNames> names = {};
  double lowest = 125.0, highest = 4000.0;  // Hz, nominal: the octaves of overall means
  MatchWords words = {};
};

struct FigureDifference {
  std::optional<double> run, measured;           // in the unit of the figure
  std::optional<double> difference, noticeable;  // run less measured, in the unit and in just noticeable differences
  std::string reason;                            // why there is no difference; empty: there is one
};
using OctaveDifferences = std::array<FigureDifference, main_figures>;

struct MatchedPair {
  PairNames names;
  std::vector<OctaveDifferences> octaves;  // one for each of Match::centres
  std::vector<BandOrigin> from;            // of the run, likewise
};

// Means over pairs; of no pair NaN.
struct MatchMean {
  std::size_t pairs = 0;
  double size = 0.0;         // of |difference|, in just noticeable differences
  double signed_mean = 0.0;  // of the difference, likewise
  double difference = 0.0;   // in the unit of the figure
};

// Means over octaves of the means of each, of those that have any pair.
struct MatchOverall {
  std::vector<double> centres;           // Hz, of the octaves with a pair
  double size = 0.0, signed_mean = 0.0;  // NaN: of none
};

// Values that are not compared, for one reason and in the same octaves; of reasons that differ in numbers alone, the first.
struct NotCompared {
  std::string reason;
  std::size_t count = 0;
  std::vector<std::size_t> figures;  // of named_figures, in order
  std::vector<double> centres;       // Hz, in order
  std::size_t pairs = 0;
};

struct Match {
  std::vector<double> centres;  // Hz: of the run or of the measurement, in order
  std::vector<MatchedPair> pairs;
  std::vector<std::array<MatchMean, main_figures>> means;  // by octave
  std::array<MatchOverall, main_figures> overall{};
  double lowest = 0.0, highest = 0.0;  // Hz, as requested
  std::vector<NotCompared> not_compared;
  std::vector<std::string> only_in_run, only_measured;  // "LS1 at MP1"
  std::vector<std::string> remarks;                     // of places that differ
};

// Pairs are those of equal names, or as options say. Throws Error (status scene): a name of `options` is in neither, is
// used twice, or no pair is in both; the range of octaves is none.
Match match_figures(const RoomFigures& run, const RoomFigures& measured, const MatchOptions& options = {});

}  // namespace fdtd
