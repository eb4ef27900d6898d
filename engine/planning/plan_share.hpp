// A rank's share of a plan: its own slab, cut from a whole plan or, of a box, made without the rest, so that what a
// rank holds of walls goes with its slab and not with the room.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/plan/share.hpp"

namespace fdtd {

// Of rank `rank`, of a box that is an outline (make_plan.hpp). Throws Error (status resource) as split does.
PlanShare share_of_box(const Plan& outline, std::span<const PlaneCounts> counts,
                       const std::array<std::string, 6>& walls, int ranks, int rank);

// What a rank's machine holds for a slab of a box, at most, bytes: while the walls about the slab are made and cut,
// then the slab's plan and what is made of it for its backend. Fields of CPU ranks are in it; recordings, MPI and
// CUDA's own are not.
std::int64_t host_bytes(const Plan& outline, std::span<const PlaneCounts> counts, const Slab& slab, bool on_gpu);
// Of one that voxelises a mesh, makes the whole plan and cuts its slab from it.
std::int64_t host_bytes_of_whole(const Plan& outline, std::span<const PlaneCounts> counts, const Slab& slab,
                                 bool on_gpu);

}  // namespace fdtd
