#include "engine/plan/plane_counts.hpp"

#include <algorithm>

#include "engine/plan/plane_nodes.hpp"

namespace fdtd {
namespace {

void count_near_wall(const NearWall& near_wall, std::uint64_t in_plane, std::vector<PlaneCounts>& counts) {
  std::uint64_t next = 0;  // after the nodes counted so far
  constexpr std::int64_t unused = -2;
  std::vector<std::int64_t> used(near_wall.pattern_begin.size() - 1, unused);  // by pattern: the last plane with it
  for (const WallSegment& segment : near_wall.segments) {
    const auto z = static_cast<std::int64_t>(segment.node / in_plane);
    PlaneCounts& plane = counts[static_cast<std::size_t>(z)];
    ++plane.segments;
    const std::size_t pattern = segment.pattern;
    if (used[pattern] < z - 1)
      plane.entries +=
          static_cast<std::int64_t>(near_wall.pattern_begin[pattern + 1] - near_wall.pattern_begin[pattern]);
    used[pattern] = z;
    plane.segment_nodes += segment.length;
    const std::uint64_t end = segment.node + segment.length;
    if (end > next) plane.near_nodes += static_cast<std::int64_t>(end - std::max(segment.node, next));
    next = std::max(next, end);
  }
  for (const NodeMass& mass : near_wall.masses) ++counts[mass.node / in_plane].masses;
}

void count_boundary(const Boundary& boundary, std::uint64_t in_plane, std::vector<PlaneCounts>& counts) {
  for (std::size_t i = 0; i < boundary.nodes.size(); ++i) {
    const std::uint32_t first = boundary.site_begin[i], last = boundary.site_begin[i + 1];
    PlaneCounts& plane = counts[boundary.nodes[i] / in_plane];
    ++plane.boundary_nodes;
    plane.sites += last - first;
    plane.branches += static_cast<std::int64_t>(boundary.branch_begin[last] - boundary.branch_begin[first]);
    // Some planes of a room may be counted alone: their outermost nodes read beyond them.
    const auto [low, high] = planes_read(boundary, i, in_plane);
    for (int z = std::max(low + 1, 0); z <= std::min(high, static_cast<int>(counts.size()) - 1); ++z) {
      int& here = counts[static_cast<std::size_t>(z)].reach;
      here = std::max({here, z - low, high - z + 1});
    }
  }
}

}  // namespace

std::pair<int, int> planes_read(const Boundary& boundary, std::size_t node, std::uint64_t nodes_a_plane) {
  const int z = static_cast<int>(boundary.nodes[node] / nodes_a_plane);
  const WallLaw& law = boundary.laws[boundary.sites[boundary.site_begin[node]].law];
  const int far = law.axis == 2 ? z + law.inward * (static_cast<int>(law.taps.size()) - 1) : z;
  return std::minmax(z, far);
}

std::vector<PlaneCounts> plane_counts(const Plan& plan) {
  std::vector<PlaneCounts> counts(static_cast<std::size_t>(plan.grid.size[2]));
  count_near_wall(plan.near_wall, plane_nodes(plan), counts);
  count_boundary(plan.boundary, plane_nodes(plan), counts);
  return counts;
}

PlaneCounts sum_of(std::span<const PlaneCounts> planes) {
  PlaneCounts sum;
  for (const PlaneCounts& one : planes) {
    sum.segments += one.segments;
    sum.segment_nodes += one.segment_nodes;
    sum.near_nodes += one.near_nodes;
    sum.masses += one.masses;
    sum.entries += one.entries;
    sum.boundary_nodes += one.boundary_nodes;
    sum.sites += one.sites;
    sum.branches += one.branches;
  }
  return sum;
}

}  // namespace fdtd
