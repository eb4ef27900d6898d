// Image sources and rays of a scene: the sound above the crossover, for every source and receiver.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/above/above_plan.hpp"
#include "engine/above/above_record.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

struct AboveTrace {
  AboveRecord record;
  // Of the octave around overlap_centre (Hz), by element of record.channels: the energies of rays by bin.
  double overlap_centre = 0.0;
  std::vector<std::vector<double>> overlap;
  std::vector<bool> directional_source;  // by element of record.channels
  std::int64_t hits = 0, lost = 0;       // of rays with the walls; rays that left through a gap between them
  std::array<double, 3> first_lost{};    // m: from where the first of those met no wall
};

// "source 2 of 3, 40000 rays" begins.
using AboveStage = std::function<void(const std::string&)>;

// The same bytes for any number of threads. Throws Error: status scene where more than a twentieth of all reflections
// find no wall (with a place), resource where memory is short.
AboveTrace trace_above(const Scene& scene, const AbovePlan& plan, const AboveStage& stage = {});

}  // namespace fdtd
