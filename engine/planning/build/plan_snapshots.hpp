// Plans the snapshots of a scene: which planes of nodes are recorded at which steps, and the pulse that frames show.
#pragma once

#include <string>
#include <vector>

#include "engine/plan/plan.hpp"
#include "engine/planning/choose/grid_choice.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

// The 2 half + 1 samples of the pulse g for a bandwidth in Hz; time_step in s.
std::vector<double> snapshot_pulse(double bandwidth, double time_step);

// Writes the scene's snapshots into the plan, whose grid is set: planes at the nodes nearest to their positions. Throws
// Error (status scene) for frames closer than the time step.
void plan_snapshots(const Scene& scene, const GridChoice& choice, Plan& plan);

// The directional sources whose parts have a pass each, one sentence for each: frames belong to one pass, that of the first
// part. For a plan with its joint passes.
std::vector<std::string> snapshot_remarks(const Scene& scene, const Plan& plan);

}  // namespace fdtd
