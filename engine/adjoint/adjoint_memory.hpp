// The memory of a gradient (gradient.hpp): how the histories of walls are kept, or recomputed from checkpoints.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/adjoint/adjoint_plan.hpp"
#include "engine/adjoint/wall_history.hpp"

namespace fdtd {

struct AdjointMemory {
  HistoryFormat format = HistoryFormat::f64;
  std::int64_t block = 0;          // steps of a call of the backend
  std::int64_t segment_steps = 0;  // steps whose history is held, whole blocks; plan.steps: all of a pass
  int segments = 1;                // of a pass
  int checkpoints = 0;
  bool all_passes =
      true;           // histories of all passes are held; else each pass is computed once more where there are several
  double runs = 2.0;  // steps of all runs over those of the plan's passes: 2 where nothing is recomputed
  std::int64_t bytes = 0;      // of histories, checkpoints, records and blocks
  std::int64_t histories = 0;  // of them: the walls' at one time
  std::int64_t states = 0;     // of them: checkpoints, and the second run's state while segments are computed again
};

// The choice with the fewest steps, and of these the finest history, within `limit` bytes. Of the plan only its grid,
// precision, steps, sources, receivers and boundary matter. `share`: that of the room of a rank. Throws Error (status
// resource) where the least does not fit.
AdjointMemory adjoint_memory(const Plan& plan, std::int64_t limit, std::optional<HistoryFormat> format = std::nullopt,
                             double share = 1.0);

}  // namespace fdtd
