#include "engine/profiling/stencil_cost.hpp"

#include <algorithm>
#include <cmath>

namespace fdtd {
namespace {

// Of the needs that the grid obeys, the finest.
std::string finest_need(const GridChoice& choice) {
  const SpacingNeed* finest = nullptr;
  for (const SpacingNeed& need : choice.needs)
    if (need.obeyed && (finest == nullptr || need.spacing < finest->spacing)) finest = &need;
  return finest == nullptr ? "grid_spacing" : finest->what;
}

}  // namespace

bool walls_met(const Scene& scene, const GridChoice& choice) {
  for (std::size_t d = 0; d < 3; ++d)
    if (std::abs(choice.wall_shift[2 * d] + choice.wall_shift[2 * d + 1]) >
        scene.simulation.dispersion_error * scene.room.box[d])
      return false;
  return true;
}

double node_updates(const GridChoice& choice) {
  return static_cast<double>(choice.grid.nodes()) * static_cast<double>(choice.steps) *
         static_cast<double>(std::max<std::size_t>(1, choice.passes.count));
}

bool eligible(const StencilCost& cost) {
  return std::ranges::all_of(cost.missed, [](const std::string& what) { return what == "transducers"; });
}

StencilCost stencil_cost(const Scene& scene, const Stencil& stencil, SceneLimits& limits) {
  StencilCost cost;
  GridChoices choices = choose_grids(scene, stencil, limits);
  cost.interior_updates = node_updates(choices.interior);
  cost.choice = std::move(choices.all);
  const GridChoice& choice = cost.choice;
  cost.updates = node_updates(choice);
  cost.limited_by = finest_need(choice);
  if (!choice.walls_hold) cost.missed.emplace_back("walls");
  for (const SpacingNeed& need : choice.needs)
    if (!need.obeyed) cost.missed.push_back(need.what);
  if (!walls_met(scene, choice)) cost.missed.emplace_back(wall_positions);
  return cost;
}

}  // namespace fdtd
