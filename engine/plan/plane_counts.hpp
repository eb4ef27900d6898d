// What lies on each plane z of a room, in numbers: enough to share the room among ranks and to tell what each will
// hold, without its walls being held as a whole anywhere. A rank counts what a slab takes of a room that no machine
// holds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/plan/plan.hpp"

namespace fdtd {

struct PlaneCounts {
  std::int64_t segments = 0, segment_nodes = 0;  // of NearWall::segments: how many, and their lengths together
  std::int64_t near_nodes = 0;                   // distinct ones in them
  std::int64_t masses = 0;                       // NearWall::masses
  std::int64_t boundary_nodes = 0, sites = 0, branches = 0;
  // How many planes walls that lie on both sides of the border below this plane reach beyond it (slab.hpp: ghosts).
  int reach = 0;
  bool operator==(const PlaneCounts&) const = default;
};

// Adds up all but `reach`.
PlaneCounts sum_of(std::span<const PlaneCounts> planes);

// One a plane of the plan.
std::vector<PlaneCounts> plane_counts(const Plan& plan);

// Planes that a boundary node's law reads, the lowest and the highest.
std::pair<int, int> planes_read(const Boundary& boundary, std::size_t node, std::uint64_t nodes_a_plane);

}  // namespace fdtd
