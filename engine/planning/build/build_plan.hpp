// The plan of a room on its grid: wall laws, near-wall operator, boundary, taps.
#pragma once

#include <vector>

#include "engine/materials/material_fit.hpp"
#include "engine/plan/plan.hpp"
#include "engine/planning/build/room_voxels.hpp"
#include "engine/planning/choose/grid_choice.hpp"
#include "engine/walls/wall_law.hpp"

namespace fdtd {

// The laws on the grid of `materials`, in the order of Voxels::materials.
std::vector<WallLaw> laws_of(const Scene& scene, const GridChoice& choice, const std::vector<MaterialFit>& materials);

// The purpose of a plan. A plan that is only reported has no nodes of receivers that need none for it, where there are
// thousands: those of each take some kB.
enum class PlanUse { run, report };

// The plan without air, near-wall rows and boundary nodes. `bandwidth`: Hz, up to which decays may stop a run. `laws`:
// laws_of.
Plan outline_plan(const Scene& scene, const GridChoice& choice, double bandwidth, std::vector<WallLaw> laws,
                  const RoomVoxels& room, PlanUse use);

// Adds to an outline what it lacks, by the room's voxels.
void complete(Plan& plan, Voxels voxels);

// The whole plan.
Plan build_plan(const Scene& scene, const GridChoice& choice, double bandwidth, std::vector<WallLaw> laws,
                RoomVoxels room, PlanUse use = PlanUse::run);

}  // namespace fdtd
