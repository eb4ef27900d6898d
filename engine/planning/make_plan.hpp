// Scene -> Plan: grid, voxels, walls, taps, and everything a user is told before a run.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/devices/target.hpp"
#include "engine/materials/absorption.hpp"
#include "engine/plan/plan.hpp"
#include "engine/planning/grid_choice.hpp"
#include "engine/planning/memory.hpp"
#include "engine/planning/plan_share.hpp"
#include "engine/planning/room_voxels.hpp"

namespace fdtd {

struct Planned {
  GridChoice choice;
  MemoryEstimate memory;               // of the whole room
  std::vector<MaterialFit> materials;  // the ones that the walls use
  std::optional<MeshSummary> mesh;     // nothing: the room is a box
  // Whole where one rank computes it. Else an outline: all but what walls are on the grid (near_wall, and of boundary all but
  // its laws), which each rank holds for its slab.
  Plan plan;
  bool outline = false;
  std::vector<PlaneCounts> counts;  // of the whole plan; empty where it is whole
  std::optional<PlanShare> share;   // of Target::rank, where several share it
  std::vector<std::int64_t> host;   // of an outline: what each rank's machine holds for it, bytes, as host_bytes tells
};

std::vector<MaterialFit> fit_materials(const Scene& scene, double max_frequency);

// All of it: chooses the grid for `stencil`, refuses what does not fit before allocating, builds the plan. For several ranks,
// or none, an outline; of a box nothing is then made that grows with the whole room.
Planned make_plan(const Scene& scene, const Stencil& stencil, const Target& target = {});

// The same for `ranks` ranks: what an outline of one, made where their number was not known yet, tells of them (Planned::host).
void share_out(Planned& planned, const Scene& scene, const Target& target);

// The plan for a grid already chosen and its room: near-wall operator, boundary, taps.
Plan build_plan(const Scene& scene, const GridChoice& choice, const std::vector<MaterialFit>& materials,
                RoomVoxels room);

}  // namespace fdtd
