// A gradient (gradient.hpp): of which loss, by what, within which memory.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "engine/adjoint/adjoint_plan.hpp"
#include "engine/adjoint/site_filters.hpp"
#include "engine/adjoint/wall_history.hpp"
#include "engine/run/recording.hpp"

namespace fdtd {

// J of the recording of all passes, laid out as that of run(); slopes[i] becomes dJ / d recording.pressure[i] (samples of
// step 0 have no part in it). It is called once.
using RecordLoss = std::function<double(const Recording& recording, std::span<double> slopes)>;

struct GradientOptions {
  // Bytes that histories and checkpoints may take; 0: half of the memory that is available (adjoint_memory.hpp).
  std::int64_t memory = 0;
  std::optional<HistoryFormat> history;  // nothing: the finest that fits; f64 and f32 in f64, f32 and i16 in f32
  // Directions in which weights of sources and receivers move, such as those of a shift (tap_shift.hpp).
  std::vector<TapChange> source_changes, receiver_changes;
  std::function<bool()> stop;  // true: ends with Error (status interrupted); asked between blocks
};

struct Gradient {
  double loss = 0.0;
  Recording recording;  // as run() makes it without a stop rule; one energy point a pass, its last
  WallSlopes walls;     // by site, sums over all passes
  // dJ / d f^n of every source, n = 0 to steps - 1: of what it sends in its pass, (1, -1, 0, ...) or the signal of a joint
  // pass.
  std::vector<std::vector<double>> signals;
  std::vector<double> source_changes, receiver_changes;  // dJ / d epsilon, by GradientOptions
};

}  // namespace fdtd
