// Scene -> Plan: grid, voxels, walls, taps, and everything that is reported before a run.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/devices/target.hpp"
#include "engine/materials/material_fit.hpp"
#include "engine/plan/plan.hpp"
#include "engine/plan/plan_part.hpp"
#include "engine/planning/build/room_extent.hpp"
#include "engine/planning/build/room_voxels.hpp"
#include "engine/planning/choose/grid_choice.hpp"
#include "engine/planning/choose_room.hpp"
#include "engine/planning/judge/memory.hpp"
#include "engine/planning/judge/passed_band.hpp"
#include "engine/planning/judge/valid_band.hpp"
#include "engine/planning/judge/wall_accuracy.hpp"
#include "engine/planning/outline/outline.hpp"
#include "engine/walls/wall_law.hpp"

namespace fdtd {

struct PlanResult {
  GridChoice choice;
  MemoryEstimate memory;               // of the whole room
  std::vector<MaterialFit> materials;  // of the walls, in the order of Voxels::materials
  std::vector<WallAccuracy> walls;     // of those with losses
  std::vector<TapFraction> wall_taps;  // how many nodes walls read, by area
  ValidBand valid;
  std::optional<MeshSummary> mesh;  // nothing: the room is a box
  RoomExtent extent;
  // The whole plan where one rank computes it, else an outline: without the walls on the grid (near_wall, and all of
  // boundary but its laws), which each rank holds for its slab.
  Plan plan;
  bool outline = false;
  // Whether a run sends from the receivers (transducers/exchange.hpp). `part` is made for that; `plan` has the scene's
  // sources and receivers.
  bool exchanged = false;
  std::vector<PlaneCounts> counts;           // of the whole plan; empty unless `outline`
  std::optional<WallsOnGrid> walls_on_grid;  // Outline::walls
  std::optional<PlanPart> part;              // of Target::rank, where several ranks share the plan
  std::vector<std::int64_t> host;  // of an outline, by rank: bytes of host memory (host_bytes of rank_part.hpp)

  // How often the room is computed: once for each channel that sends, or joint pass of two.
  std::size_t passes() const { return exchanged ? plan.receivers.size() : pass_count(plan); }
  // Hz, what rendering passes.
  double bandwidth() const { return passed_bandwidth(valid, choice.max_frequency); }
};

// Whether the responses of a plan end below the max_frequency that the scene requests.
bool falls_short(const Scene& scene, const PlanResult& planned);

// From scene to plan: chooses the grid for `stencil`, refuses what does not fit into memory before it is allocated,
// builds the plan. Where a limit ends below max_frequency on a grid, finer ones are made, up to 2.2 times as fine as the
// interior needs. Throws EmptyBand too. For several ranks, or for none (Target::rank < 0), an outline; for a box nothing is then made that
// grows with the whole room. Throws Error: status scene where the scene is at fault, resource where memory is short.
PlanResult make_plan(const Scene& scene, const Stencil& stencil, const Target& target = {},
                     const PlanningStage& stage = {});

// Fills PlanResult::host of an outline for the ranks of `target`, whose number may differ from the outline's.
void estimate_host_memory(PlanResult& planned, const Target& target);

}  // namespace fdtd
