// The progress of a run between two steps: all that is needed to resume it as if it had never stopped.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/backend/backend.hpp"
#include "engine/plan/frames.hpp"
#include "engine/run/recording.hpp"

namespace fdtd {

// A run's progress: the passes before `source` are done, the pass of `source` has done state.step steps. Where all are
// done, `source` is their number, the state is empty, and the recording is that of the run.
struct Moment {
  std::int64_t source = 0;
  State state;
  Recording recording;               // of the full size; zeros where nothing is recorded yet
  double seconds = 0.0;              // of computing, over all sessions
  std::vector<PartialFrame> frames;  // incomplete frames of snapshots
  bool complete() const { return source >= static_cast<std::int64_t>(recording.sources.size()); }
};

}  // namespace fdtd
