// Scene -> Plan: grid, voxels, walls, taps, and everything a user is told before a run.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/grid_choice.hpp"
#include "engine/impedance.hpp"
#include "engine/plan.hpp"
#include "engine/plan_share.hpp"
#include "engine/room_voxels.hpp"
#include "engine/target.hpp"

namespace fdtd {

// Bytes by part; an upper bound made from the grid alone, before anything is allocated.
struct MemoryEstimate {
  std::int64_t state = 0, near_wall = 0, boundary = 0, recording = 0;  // recording: frames under way included
  std::int64_t total() const { return state + near_wall + boundary + recording; }
};

struct Planned {
  GridChoice choice;
  MemoryEstimate memory;               // of the whole room
  std::vector<MaterialFit> materials;  // the ones that the walls use
  std::optional<MeshSummary> mesh;     // nothing: the room is a box
  // Whole where one rank computes it. Else an outline: all but what walls are on the grid (near_wall, and of boundary all but
  // its laws), which each rank holds for its slab.
  Plan plan;
  bool outline = false;
  std::vector<PlaneLoad> loads;    // of the whole plan; empty where it is whole
  std::optional<PlanShare> share;  // of Target::rank, where several share it
  std::vector<std::int64_t> host;  // of an outline: what each rank's machine holds for it, bytes, as host_bytes tells
};

// Upper bound of what a run of this grid takes; of a mesh's `voxels` the walls are counted, nullptr stands for a box.
MemoryEstimate estimate_memory(const Scene& scene, const GridChoice& choice, const std::vector<MaterialFit>& materials,
                               const Voxels* voxels = nullptr, const Target& target = {});

// Throws Error(resource) when `memory` does not fit, saying what would; `where`: "" or " on the GPU".
void require_memory(const MemoryEstimate& memory, std::int64_t available, const GridChoice& choice,
                    const std::string& where = "");

std::vector<MaterialFit> fit_materials(const Scene& scene, double max_frequency);

// All of it: chooses the grid for `stencil`, refuses what does not fit before allocating, builds the plan. For several ranks,
// or none, an outline; of a box nothing is then made that grows with the whole room.
Planned make_plan(const Scene& scene, const Stencil& stencil, const Target& target = {});

// The same for `ranks` ranks: what an outline of one, made where their number was not known yet, tells of them (Planned::host).
void share_out(Planned& planned, const Scene& scene, const Target& target);

// The plan for a grid already chosen and its room: near-wall operator, boundary, taps.
Plan build_plan(const Scene& scene, const GridChoice& choice, const std::vector<MaterialFit>& materials,
                RoomVoxels room);

// Seconds that `planned` will take there: a plan like it, of at most probe_nodes(target) nodes, is stepped for a moment.
double predict_seconds(const Scene& scene, const Planned& planned, const Target& target, int threads);

}  // namespace fdtd
