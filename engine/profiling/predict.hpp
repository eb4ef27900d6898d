// Predicts the time of a run: a small plan like it is stepped, with its walls and without, and one response like its own
// is rendered.
#pragma once

#include "engine/devices/target.hpp"
#include "engine/planning/make_plan.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

// Seconds, by part.
struct PredictedTime {
  double planning = 0.0;  // from the scene to the plan in memory, and this prediction
  double search = 0.0;    // for the fastest order of work or tiles
  double steps = 0.0;     // of all sources, energy balances included
  double above = 0.0;     // image sources and rays above the waves' band (predict_above.hpp)
  bool above_at_most = false;
  double rendering = 0.0;  // responses, figures of merit, report
  double total() const { return planning + search + steps + above + rendering; }
};

// Steps that the search for the fastest order of work (CPU) or tiles (GPU) takes, about.
inline constexpr double search_steps_cpu = 1000.0, search_steps_gpu = 300.0;

// Is the planned room itself stepped? Where it is small; a mesh, whose walls no smaller room has, also up to 2e8 nodes,
// which took longer to plan than some steps take, where its fields fit into memory.
bool probed_itself(const Scene& scene, const PlanResult& planned, const Target& target);

// The time of `planned` on the target: the plan is stepped for a moment, or, where it is larger than
// probe_nodes(target) (a mesh: 2e8 nodes), a smaller room like it, whose interior counts by its nodes and whose walls by
// the nodes beside them. Of several ranks on CPUs one steps its own part, all others' costing as much.
// `planned.plan` is as it is computed: with sources and receivers exchanged where planned.exchanged. It is as before
// when this returns: in the meantime an outline has planned.walls_on_grid.
// `search`: the run begins with a search, and then steps several at a time where that is faster. `planned_in`: seconds
// that planning took.
PredictedTime predict_time(const Scene& scene, PlanResult& planned, const Target& target, int threads, bool search,
                           double planned_in);

}  // namespace fdtd
