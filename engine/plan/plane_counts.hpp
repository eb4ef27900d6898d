// Counts of walls on each plane z of a room: enough to share the room among ranks and to predict what each will hold,
// before the walls exist. So a rank can plan a room that no single machine could hold.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/plan/plan.hpp"

namespace fdtd {

struct PlaneCounts {
  std::int64_t segments = 0, segment_nodes = 0;  // of NearWall: number of segments, sum of their lengths
  std::int64_t near_nodes = 0;                   // distinct nodes in the segments
  std::int64_t masses = 0;                       // NearWall::masses
  std::int64_t entries = 0;                      // of the patterns that are used here and not on the plane below
  std::int64_t boundary_nodes = 0, sites = 0, branches = 0;
  // Planes by which walls that cross the border below this plane reach beyond it (ghosts in slab.hpp).
  int reach = 0;
  bool operator==(const PlaneCounts&) const = default;
};

// The sum of all counts but `reach`.
PlaneCounts sum_of(std::span<const PlaneCounts> planes);

// The counts of every plane of the plan.
std::vector<PlaneCounts> plane_counts(const Plan& plan);

// The lowest and the highest plane that the law of boundary node `node` reads.
std::pair<int, int> planes_read(const Boundary& boundary, std::size_t node, std::uint64_t nodes_a_plane);

}  // namespace fdtd
