// A plan whose walls each rank builds for its planes: counted by plane first, so that the planes are divided by work.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/devices/target.hpp"
#include "engine/plan/plan.hpp"
#include "engine/plan/plan_part.hpp"
#include "engine/planning/build/room_voxels.hpp"
#include "engine/planning/choose/grid_choice.hpp"
#include "engine/walls/wall_law.hpp"

namespace fdtd {

// The part of a whole plan that an outline lacks.
struct WallsOnGrid {
  NearWall near_wall;
  Boundary boundary;
};

struct Outline {
  std::unique_ptr<Plan> plan;          // without the walls on the grid: near_wall, and all of boundary but its laws
  std::vector<PlaneCounts> counts;     // of the whole plan
  std::vector<TapFraction> wall_taps;  // how many nodes walls read, by area
  // The part of Target::rank; once, while `plan` is there. Empty where this is no rank's outline. Throws Error (status
  // resource) as split does. Ranks that plan together all call it.
  std::function<PlanPart()> part;
  // Of a small mesh (probe_nodes) that no rank computes: its time is predicted by its own walls.
  std::optional<WallsOnGrid> walls;
};

// The plan is as it is computed: with sources and receivers exchanged where choice.passes.exchanged.
// Of a box, nothing is made that grows with the whole room. The walls of a mesh are built as a whole, counted and
// released, or by all ranks together, each those of its planes. Arguments as of build_plan.
Outline make_outline(const Scene& scene, const GridChoice& choice, double bandwidth, const Target& target,
                     std::vector<WallLaw> laws, RoomVoxels room);

}  // namespace fdtd
