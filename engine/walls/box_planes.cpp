#include "engine/walls/box_planes.hpp"

#include <algorithm>
#include <map>

#include "engine/plan/voxels.hpp"
#include "engine/walls/wall_law.hpp"
#include "engine/walls/wall_taps.hpp"

namespace fdtd {
namespace {

// Planes [begin, end) of a box of `size` voxels with the same laws and stencil.
RoomPlanes planes_of(const Plan& outline, std::array<int, 3> size, const std::array<std::string, 6>& walls, int begin,
                     int end) {
  Voxels voxels = voxelise_box_planes(size, outline.grid.spacing, walls, begin, end);
  RoomPlanes planes;
  planes.begin = begin;
  planes.near_wall = make_near_wall(outline.stencil, voxels);
  planes.boundary = make_boundary(voxels, outline.boundary.laws, outline.grid, planes.near_wall);
  planes.air = std::move(voxels.air);
  return planes;
}

// Number of planes at either end of an axis that differ from those in the middle: within reach of near-wall rows, or of
// the sites of corners and edges, of up to as many nodes as a law has taps.
int end_planes(const Plan& outline) {
  int reach = std::max(outline.stencil.radius, few_wall_taps);
  for (const WallLaw& law : outline.boundary.laws) reach = std::max(reach, static_cast<int>(law.taps.size()));
  return reach + 4;
}

// Length of a shorter axis with the same ends and the same parity, so that opposite walls have as much room for taps.
int shortened(int size, int ends) { return std::min(size, 2 * ends + size % 2); }

std::vector<PlaneCounts> counts_of_size(const Plan& outline, std::array<int, 3> size,
                                        const std::array<std::string, 6>& walls) {
  Plan small;
  small.grid.size = size;
  RoomPlanes all = planes_of(outline, size, walls, 0, size[2]);
  small.near_wall = std::move(all.near_wall);
  small.boundary = std::move(all.boundary);
  return plane_counts(small);
}

// first + twos (second - first), count by count; `second` belongs to a box longer by two.
PlaneCounts extrapolated(const PlaneCounts& first, const PlaneCounts& second, std::int64_t twos) {
  PlaneCounts out = first;
  for (std::int64_t PlaneCounts::*count :
       {&PlaneCounts::segments, &PlaneCounts::segment_nodes, &PlaneCounts::near_nodes, &PlaneCounts::masses,
        &PlaneCounts::boundary_nodes, &PlaneCounts::sites, &PlaneCounts::branches})
    out.*count += twos * (second.*count - first.*count);
  return out;
}

// Counts of a box `size[2]` planes high, extrapolated along the other axes, from `axis` down, to the size of `outline`.
std::vector<PlaneCounts> extrapolated_to(const Plan& outline, std::array<int, 3> size, std::size_t axis,
                                         const std::array<std::string, 6>& walls) {
  const int wanted = outline.grid.size[axis], here = shortened(wanted, end_planes(outline));
  const auto counts_with = [&](int length) {
    size[axis] = length;
    return axis == 0 ? counts_of_size(outline, size, walls) : extrapolated_to(outline, size, axis - 1, walls);
  };
  std::vector<PlaneCounts> counts = counts_with(here);
  if (here == wanted) return counts;
  const std::vector<PlaneCounts> longer = counts_with(here + 2);
  for (std::size_t z = 0; z < counts.size(); ++z) counts[z] = extrapolated(counts[z], longer[z], (wanted - here) / 2);
  return counts;
}

}  // namespace

RoomPlanes box_planes(const Plan& outline, const std::array<std::string, 6>& walls, int begin, int end) {
  const auto [first, last] = planes_about(outline, begin, end);
  return planes_of(outline, outline.grid.size, walls, first, last);
}

std::pair<int, int> planes_about(const Plan& outline, int begin, int end) {
  const int margin = end_planes(outline);
  return {std::max(0, begin - margin), std::min(outline.grid.size[2], end + margin)};
}

std::vector<TapFraction> box_tap_fractions(const Plan& outline, const std::array<std::string, 6>& walls) {
  Plan laws_alone;
  laws_alone.boundary.laws = outline.boundary.laws;
  const int ends = end_planes(laws_alone);
  std::map<int, double> areas;
  for (unsigned which = 0; which < 8; ++which) {
    std::array<int, 3> size{};
    double factor = 1.0;
    for (std::size_t d = 0; d < 3; ++d) {
      const int here = shortened(outline.grid.size[d], ends);
      const double twos = (outline.grid.size[d] - here) / 2.0;
      const bool longer = (which >> d & 1U) != 0;
      size[d] = longer ? here + 2 : here;
      factor *= longer ? twos : 1.0 - twos;
    }
    if (factor == 0.0) continue;
    const Voxels voxels = voxelise_box_planes(size, outline.grid.spacing, walls, 0, size[2]);
    const Boundary boundary = make_boundary(voxels, outline.boundary.laws, outline.grid, NearWall{});
    for (const BoundarySite& site : boundary.sites)
      areas[static_cast<int>(boundary.laws[site.law].taps.size())] += factor * site.weight;
  }
  return fractions_of(areas);
}

std::vector<PlaneCounts> box_counts(const Plan& outline, const std::array<std::string, 6>& walls) {
  const int planes = outline.grid.size[2], ends = end_planes(outline), core = shortened(planes, ends);
  const std::vector<PlaneCounts> counts = extrapolated_to(outline, {0, 0, core}, 1, walls);
  std::vector<PlaneCounts> all;
  all.reserve(static_cast<std::size_t>(planes));
  for (int z = 0; z < planes; ++z) {
    const int from_top = planes - 1 - z;
    const int same = z < ends ? z : from_top < ends ? core - 1 - from_top : ends - 2 + (z - ends) % 2;
    all.push_back(counts[static_cast<std::size_t>(same)]);
  }
  return all;
}

}  // namespace fdtd
