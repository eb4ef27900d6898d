// The time that a run will take, predicted by stepping a small plan like it.
#pragma once

#include "engine/devices/target.hpp"
#include "engine/planning/make_plan.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

// Seconds that `planned` will take there: a plan like it, of at most probe_nodes(target) nodes, is stepped for a moment.
double predict_seconds(const Scene& scene, const Planned& planned, const Target& target, int threads);

}  // namespace fdtd
