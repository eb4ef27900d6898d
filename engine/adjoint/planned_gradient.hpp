// A gradient (gradient.hpp) before it is computed: its walls, memory and runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/adjoint/adjoint_memory.hpp"

namespace fdtd {

class Backend;

struct PlannedGradient {
  std::int64_t wall_nodes = 0;
  AdjointMemory memory;
  std::int64_t allowed = 0;  // bytes, of which memory.bytes are taken
  bool on_gpu = false;       // histories are in the memory of the GPU; checkpoints are in main memory all the same
  double seconds = 0.0;      // predicted, of its steps; 0: not timed
  std::vector<std::string> materials;  // that move
};

// Within `allowed` bytes. Throws as adjoint_memory().
PlannedGradient planned_gradient(const Plan& plan, std::int64_t allowed, bool on_gpu);

// Bytes that histories and checkpoints may take beside what the backend has loaded: half of main memory, or all that is
// free on a GPU.
std::int64_t gradient_allowance(const Backend& backend);

// Of the seconds that the steps of one run of all passes take. Copies of the walls and their filters cost the rest: two
// runs without them take 1 / 1.3 of a gradient's time on a CPU (1.2 to 1.4 measured), 1 / 1.15 on a GPU in rooms of more
// than a million nodes (docs/explanation/adjoint.md, sections 5 and 6).
double gradient_seconds(const PlannedGradient& planned, double run_seconds);

// The finest format where a backend keeps histories itself; nothing elsewhere: the finest that fits.
std::optional<HistoryFormat> format_of_backend(const Backend& backend, Precision precision);

}  // namespace fdtd
