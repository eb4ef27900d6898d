// The grid for a stencil, the room on it, and the band that both hold.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/devices/target.hpp"
#include "engine/materials/material_fit.hpp"
#include "engine/planning/build/room_extent.hpp"
#include "engine/planning/build/room_voxels.hpp"
#include "engine/planning/choose/grid_choice.hpp"
#include "engine/planning/judge/memory.hpp"
#include "engine/planning/judge/valid_band.hpp"
#include "engine/planning/judge/wall_accuracy.hpp"
#include "engine/walls/wall_law.hpp"

namespace fdtd {

// Is called with what begins, for a caller who shows it; may be empty.
using PlanningStage = std::function<void(const std::string&)>;

struct ChosenRoom {
  GridChoice choice;
  MemoryEstimate memory;
  std::vector<MaterialFit> materials;  // of the walls, in the order of Voxels::materials
  std::vector<WallLaw> laws;           // theirs on the grid
  std::vector<WallAccuracy> walls;     // of those with losses
  ValidBand valid;
  RoomVoxels room;
};

// A plan for several ranks, or for none: of a box, air, materials and positions are made, and no faces.
bool is_outline(const Target& target);

// Limits are estimates before there is a grid: how much of a mesh cuts voxels, how few nodes walls in narrow places can
// read, where sources lie between nodes. Where one ends below max_frequency on the grid that was made, a finer one is.
// Throws Error: status scene as choose_grid and make_room, resource where memory is short.
ChosenRoom choose_room(const Scene& scene, const Stencil& stencil, const Target& target, const PlanningStage& stage);

// The room on the grid that the choice begins with, for estimates before a plan; a mesh is voxelised. Throws as
// choose_room.
struct RoomSurvey {
  RoomExtent extent;
  double max_frequency = 0.0;  // Hz
};
RoomSurvey survey_room(const Scene& scene, const Stencil& stencil, const Target& target, const PlanningStage& stage);

}  // namespace fdtd
