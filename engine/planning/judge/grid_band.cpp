#include "engine/planning/judge/grid_band.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "engine/planning/choose/transducer_limit.hpp"
#include "engine/transducers/channels.hpp"
#include "engine/transducers/taps.hpp"

namespace fdtd {
namespace {

void add_limit(ValidBand& valid, Limit limit) {
  if (limit.frequency < valid.frequency) {
    valid.frequency = limit.frequency;
    valid.limited_by = limit.what;
  }
  valid.limits.push_back(std::move(limit));
}

// Sources and receivers at their places on the grid, as far as their limit asks.
Plan transducers_of(const Scene& scene, const GridChoice& choice, const RoomVoxels& room) {
  Plan plan;
  plan.grid = choice.grid;
  plan.tap_wave = finest_wave(choice.grid, choice.max_frequency);
  const Channels channels = channels_of(scene);
  const auto add = [](std::vector<Tap>& taps, const std::vector<Channel>& list,
                      const std::vector<std::array<double, 3>>& positions) {
    for (const Channel& one : list) taps.push_back({one.id, positions[one.owner], {}, {}, one.operation});
  };
  if (!room.sources.empty()) add(plan.sources, channels.sources, room.sources);
  if (!room.receivers.empty()) add(plan.receivers, channels.receivers, room.receivers);
  return plan;
}

}  // namespace

GridBand band_of(const Scene& scene, const GridChoice& choice, const std::vector<MaterialFit>& materials,
                 const GridFacts& facts, const RoomVoxels& room) {
  const Simulation& wish = scene.simulation;
  GridBand band;
  band.walls = judge_walls(materials, widest_laws(facts.laws), choice, wish.wall_error);
  band.valid = valid_band(choice, band.walls, wish.max_frequency.has_value());
  if (const Plan taps = transducers_of(scene, choice, room); !taps.sources.empty())
    add_limit(band.valid, transducer_limit(taps, choice.max_frequency));
  if (scene.room.mesh)
    add_limit(band.valid, geometry_limit(facts.cut, choice.grid, {choice.stencil, choice.grid_stencil},
                                         wish.geometry_error, wish.dispersion_error, choice.max_frequency));
  return band;
}

bool learn(const ValidBand& valid, const GridChoice& choice, SceneLimits& limits) {
  constexpr double nearly = 1.0 - 1e-6, smallest_step = 0.985, largest_step = 0.85;
  const double spacing = *std::ranges::max_element(choice.grid.spacing), top = choice.max_frequency;
  const double interior = std::ranges::find(choice.needs, "interior", &SpacingNeed::what)->spacing;
  bool learnt = false;
  for (const SpacingNeed& need : choice.needs) {
    const auto limit = std::ranges::find(valid.limits, need.what, &Limit::what);
    if (!need.obeyed || limit == valid.limits.end() || limit->frequency >= nearly * top) continue;
    const double wanted = std::clamp(limit->frequency / top, largest_step, smallest_step) * spacing;
    if (limits.affordable(choice.passes, choice.grid.courant(), wanted, interior))
      limits.require(need.what, wanted);
    else
      limits.give_up(need.what);
    learnt = true;
  }
  return learnt;
}

}  // namespace fdtd
