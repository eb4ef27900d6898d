#include "engine/planning/outline/outline.hpp"

#include <malloc.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "engine/planning/build/build_plan.hpp"
#include "engine/planning/outline/rank_part.hpp"
#include "engine/transducers/exchange.hpp"
#include "engine/walls/box_planes.hpp"
#include "engine/walls/shared_walls.hpp"

namespace fdtd {
namespace {

bool of_a_rank(const Target& target) { return target.ranks > 1 && target.rank >= 0; }

Outline outline_box(const std::array<std::string, 6>& walls, Plan plan, const Target& target, RoomVoxels room) {
  Outline outline{std::make_unique<Plan>(std::move(plan)), {}, {}, {}, {}};
  Plan& whole = *outline.plan;
  whole.air = std::move(room.voxels.air);
  outline.counts = box_counts(whole, walls);
  outline.wall_taps = box_tap_fractions(whole, walls);
  if (of_a_rank(target))
    outline.part = [&whole, counts = outline.counts, walls, target] {
      return part_of_box(whole, counts, walls, target.ranks, target.rank);
    };
  return outline;
}

// Whether the plan can be stepped as it is, to predict its time.
bool is_probe(const Plan& plan, const Target& target) {
  const auto has_nodes = [](const Tap& tap) { return !tap.nodes.empty(); };  // PlanUse::report leaves them out
  return target.rank < 0 && plan.grid.nodes() <= probe_nodes(target) && std::ranges::all_of(plan.sources, has_nodes) &&
         std::ranges::all_of(plan.receivers, has_nodes);
}

// This is no rank's plan, or other ranks plan something else at this time.
Outline outline_mesh(Plan plan, const Target& target) {
  Outline outline{std::make_unique<Plan>(std::move(plan)), {}, {}, {}, {}};
  Plan& whole = *outline.plan;
  outline.counts = plane_counts(whole);
  if (of_a_rank(target)) {
    auto part = std::make_shared<PlanPart>(part_of(whole, outline.counts, target.ranks, target.rank));
    outline.part = [part] { return std::move(*part); };
  }
  outline.wall_taps = tap_fractions(whole.boundary);
  Boundary kept;
  kept.laws = whole.boundary.laws;
  WallsOnGrid walls{std::exchange(whole.near_wall, {}), std::exchange(whole.boundary, std::move(kept))};
  if (is_probe(whole, target)) outline.walls = std::move(walls);
  return outline;
}

// Each rank builds the walls of its planes alone, first of those that it has voxelised, to count them.
Outline outline_shared_mesh(Plan plan, const Target& target, RoomVoxels room) {
  Outline outline{std::make_unique<Plan>(std::move(plan)), {}, {}, {}, {}};
  Plan& whole = *outline.plan;
  whole.air = std::move(room.voxels.air);
  auto walls = std::make_shared<SharedWalls>(whole, std::move(room.voxels), std::move(room.partition));
  outline.counts = walls->counts();
  outline.wall_taps = walls->tap_fractions();
  outline.part = [&whole, walls, target]() mutable {
    PlanPart part = part_of_mesh(whole, *walls, target.ranks, target.rank);
    walls.reset();
    ::malloc_trim(0);  // returns what building them took: as much as the fields
    return part;
  };
  return outline;
}

}  // namespace

Outline make_outline(const Scene& scene, const GridChoice& choice, double bandwidth, const Target& target,
                     std::vector<WallLaw> laws, RoomVoxels room) {
  const PlanUse use = target.rank >= 0 ? PlanUse::run : PlanUse::report;
  const auto computed = [&](Plan plan) {
    if (choice.passes.exchanged) exchange_transducers(plan);
    return plan;
  };
  if (!scene.room.mesh) {
    Plan plan = outline_plan(scene, choice, bandwidth, std::move(laws), room, use);
    return outline_box(scene.room.walls, computed(std::move(plan)), target, std::move(room));
  }
  if (room.partition.whole())
    return outline_mesh(computed(build_plan(scene, choice, bandwidth, std::move(laws), std::move(room), use)), target);
  Plan plan = outline_plan(scene, choice, bandwidth, std::move(laws), room, use);
  return outline_shared_mesh(computed(std::move(plan)), target, std::move(room));
}

}  // namespace fdtd
