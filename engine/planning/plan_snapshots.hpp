// The scene's snapshots, planned: which planes of nodes are recorded at which steps, and the pulse that frames show.
#pragma once

#include <string>
#include <vector>

#include "engine/plan/plan.hpp"
#include "engine/planning/grid_choice.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

// The samples of g, 2 half + 1 of them, for a bandwidth in Hz.
std::vector<double> snapshot_pulse(double bandwidth, double time_step);

// Writes the scene's snapshots into the plan, whose grid is set: planes at the nodes nearest to their positions. Throws
// Error (status scene) for frames closer than the time step.
void plan_snapshots(const Scene& scene, const GridChoice& choice, Plan& plan);

// What the scene's snapshots do not show of its directional sources, a sentence a source: frames are of one pass, and of a
// cardioid's two they are of the first.
std::vector<std::string> snapshot_remarks(const Scene& scene);

}  // namespace fdtd
