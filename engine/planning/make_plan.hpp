// Scene -> Plan: grid, voxels, walls, taps, and everything that is reported before a run.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "engine/devices/target.hpp"
#include "engine/materials/material_fit.hpp"
#include "engine/plan/plan.hpp"
#include "engine/planning/grid_choice.hpp"
#include "engine/planning/memory.hpp"
#include "engine/planning/plan_share.hpp"
#include "engine/planning/reverberation.hpp"
#include "engine/planning/room_voxels.hpp"
#include "engine/planning/valid_band.hpp"
#include "engine/planning/wall_accuracy.hpp"
#include "engine/planning/wall_limits.hpp"
#include "engine/walls/wall_law.hpp"

namespace fdtd {

struct Planned {
  GridChoice choice;
  MemoryEstimate memory;               // of the whole room
  std::vector<MaterialFit> materials;  // the ones that the walls use
  std::vector<WallAccuracy> walls;     // of those with losses
  std::vector<TapShare> wall_taps;     // how many nodes walls read, by area
  ValidBand valid;
  std::optional<MeshSummary> mesh;               // nothing: the room is a box
  std::vector<ReverberationBand> reverberation;  // as expected before the run
  double schroeder_frequency = 0.0;              // Hz (mode_count.hpp); infinite where nothing absorbs
  // The whole plan where one rank computes it, else an outline: without the walls on the grid (near_wall, and all of
  // boundary but its laws), which each rank holds for its slab.
  Plan plan;
  bool outline = false;
  std::vector<PlaneCounts> counts;  // of the whole plan; empty unless `outline`
  std::optional<PlanShare> share;   // of Target::rank, where several ranks share the plan
  std::vector<std::int64_t> host;   // of an outline, by rank: bytes of host memory (host_bytes of plan_share.hpp)

  // Hz, what rendering passes: what is valid, but no less than a twentieth of max_frequency.
  double bandwidth() const;
};

// Is called with what begins, for a caller who shows it; may be empty.
using PlanningStage = std::function<void(const std::string&)>;

// duration = "auto": replaces the placeholder by automatic_duration of the room on the grid that `stencil` gets; for a
// mesh it is voxelised once more than for the plan. Does nothing for a duration in seconds. Throws as make_plan.
void settle_duration(Scene& scene, const Stencil& stencil, const Target& target = {}, const PlanningStage& stage = {});

// The band of a plan leaves no octave. Status scene.
struct EmptyBand : Error {
  using Error::Error;
};

// Whether the responses of a plan end below the max_frequency that the scene requests.
bool falls_short(const Scene& scene, const Planned& planned);

// From scene to plan: chooses the grid for `stencil`, refuses what does not fit into memory before it is allocated,
// builds the plan. Where a limit ends below max_frequency on a grid, finer ones are made, up to 2.2 times as fine as the
// interior needs. Throws EmptyBand too. For several ranks, or for none (Target::rank < 0), an outline; for a box nothing is then made that
// grows with the whole room. Throws Error: status scene where the scene is at fault, resource where memory is short.
Planned make_plan(const Scene& scene, const Stencil& stencil, const Target& target = {},
                  const PlanningStage& stage = {});

// Fills Planned::host of an outline for the ranks of `target`, whose number may differ from the outline's.
void estimate_host_memory(Planned& planned, const Target& target);

// The plan for a chosen grid and its room: near-wall operator, boundary, taps.
Plan build_plan(const Scene& scene, const GridChoice& choice, const std::vector<MaterialFit>& materials,
                RoomVoxels room);

}  // namespace fdtd
