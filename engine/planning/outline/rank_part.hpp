// The part of a rank in a plan: its own slab, cut from a whole plan or, for a box, built without the rest, so that the
// walls that a rank holds grow with its slab and not with the room.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/plan/plan_part.hpp"
#include "engine/planning/build/room_voxels.hpp"

namespace fdtd {

// The part of `rank` in the outline of a box (make_plan.hpp). Throws Error (status resource) as split does.
PlanPart part_of_box(const Plan& outline, std::span<const PlaneCounts> counts, const std::array<std::string, 6>& walls,
                     int ranks, int rank);

// The most bytes of host memory that a rank of a box needs: for the walls around its slab while they are built and cut,
// then for the slab's plan and the tables of its backend. Includes the fields of CPU ranks; without recordings, MPI and
// CUDA.
std::int64_t host_bytes(const Plan& outline, std::span<const PlaneCounts> counts, const Slab& slab, bool on_gpu);
// The same for a mesh that `ranks` voxelise and whose walls they build together, each those about its slab.
std::int64_t host_bytes_of_mesh(const Plan& outline, std::span<const PlaneCounts> counts, const Slab& slab, int ranks,
                                const MeshSummary& mesh, bool on_gpu);

}  // namespace fdtd
