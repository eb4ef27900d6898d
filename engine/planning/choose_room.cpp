#include "engine/planning/choose_room.hpp"

#include <fmt/format.h>

#include "engine/planning/build/build_plan.hpp"
#include "engine/planning/choose/geometry_limit.hpp"
#include "engine/planning/choose/scene_limits.hpp"
#include "engine/planning/judge/grid_band.hpp"
#include "engine/planning/judge/memory_of_ranks.hpp"

namespace fdtd {
namespace {

void begin_grid(const PlanningStage& stage) {
  if (stage) stage("choosing the grid");
}

void begin_room(const PlanningStage& stage, const Scene& scene, const Grid& grid) {
  if (!stage) return;
  const auto& [nx, ny, nz] = grid.size;
  stage(scene.room.mesh
            ? fmt::format("{} triangles on a grid of {} x {} x {} nodes", scene.room.mesh->triangles.size(), nx, ny, nz)
            : fmt::format("a box of {} x {} x {} nodes", nx, ny, nz));
}

// The room on the grid, once memory is known to suffice for one rank. The walls of a mesh are counted from its voxels,
// which take a few bits each; those of a box from its sides, before it is voxelised. The outline of a box needs no
// faces.
RoomVoxels make_room_within_memory(ChosenRoom& chosen, const Scene& scene, const Target& target) {
  const GridChoice& choice = chosen.choice;
  const bool box = !scene.room.mesh;
  RoomVoxels room;
  if (!box) room = make_room(scene, choice, false, shared_planes(target));
  chosen.memory = estimate_memory(scene, choice, chosen.materials, box ? nullptr : &room.tally, target);
  if (target.ranks == 1) require_memory(chosen.memory, target, choice);
  if (box) room = is_outline(target) ? make_open_box(scene, choice) : make_room(scene, choice);
  return room;
}

// The grid, whose fields fit into memory, and the laws of the materials up to its band.
void begin(ChosenRoom& chosen, SceneLimits& limits, const Scene& scene, const Stencil& stencil, const Target& target,
           const PlanningStage& stage) {
  begin_grid(stage);
  chosen.choice = choose_grid(scene, stencil, &limits);
  begin_room(stage, scene, chosen.choice.grid);
  chosen.memory = require_fields(scene, chosen.choice, target);
  chosen.materials = limits.walls.fits(chosen.choice.max_frequency);
}

}  // namespace

bool is_outline(const Target& target) { return target.ranks != 1 || target.rank < 0; }

ChosenRoom choose_room(const Scene& scene, const Stencil& stencil, const Target& target, const PlanningStage& stage) {
  constexpr int max_grids = 16;
  ChosenRoom chosen;
  SceneLimits limits(scene);
  CutArea cut;
  for (int grids = 1;; ++grids) {
    begin(chosen, limits, scene, stencil, target, stage);
    chosen.room = {};  // of the grid before: two rooms need twice the memory
    chosen.room = make_room_within_memory(chosen, scene, target);
    const GridChoice& choice = chosen.choice;
    if (scene.room.mesh) {
      cut = cut_area(chosen.room.tally, choice.grid, *scene.room.mesh, choice.grid_stencil);
      cut.furnished = limits.furnished_fraction(choice.grid_stencil, choice.grid.mean_spacing());
    }
    chosen.laws = laws_of(scene, choice, chosen.materials);
    GridBand band = band_of(scene, choice, chosen.materials, {cut, chosen.laws}, chosen.room);
    chosen.walls = std::move(band.walls);
    chosen.valid = std::move(band.valid);
    if (!scene.simulation.max_frequency || grids == max_grids || !learn(chosen.valid, choice, limits)) return chosen;
  }
}

RoomSurvey survey_room(const Scene& scene, const Stencil& stencil, const Target& target, const PlanningStage& stage) {
  ChosenRoom chosen;
  SceneLimits limits(scene);
  begin(chosen, limits, scene, stencil, target, stage);
  const GridChoice& choice = chosen.choice;
  const RoomVoxels room =
      scene.room.mesh ? make_room(scene, choice, false, shared_planes(target)) : make_open_box(scene, choice);
  return {extent_of(scene, choice, room), choice.max_frequency};
}

}  // namespace fdtd
