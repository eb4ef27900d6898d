// Predicts the time of a run by stepping a small plan like it.
#pragma once

#include "engine/devices/target.hpp"
#include "engine/planning/make_plan.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

// Predicted seconds of `planned` on the target: a plan like it, of at most probe_nodes(target) nodes, is stepped for a
// moment.
double predict_seconds(const Scene& scene, const Planned& planned, const Target& target, int threads);

}  // namespace fdtd
