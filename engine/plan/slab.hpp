// A backend's share of the grid: planes z_begin..z_end-1. One GPU, or the CPU, takes the slab without neighbours.
//
// Layers. Every sum over nodes (energies, what a receiver hears) is made layer by layer, four planes each, and the
// layers' sums are added in the order of z. Slabs begin and end where layers do, so that sums are the same for any
// number of them.
//
// Ghosts. A wall that reads several nodes along z (boundary.hpp) may have them on both sides of a slab's border. Both
// sides then compute it, and with it `ghosts` planes of the other's; what they make of these the halo overwrites with
// the same values. Beyond its planes and ghosts a slab reads the stencil's radius of planes from its neighbour.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/plan/plan.hpp"
#include "engine/plan/plane_counts.hpp"
#include "engine/plan/room_planes.hpp"

namespace fdtd {

inline constexpr int layer_planes = 4;  // the last has 3 to 6, if the grid has that many
constexpr int layer_count(int planes) { return std::max(1, (planes + 1) / layer_planes); }
constexpr int layer_of(int z, int planes) { return std::min(z / layer_planes, layer_count(planes) - 1); }
constexpr int layer_begin(int layer, int planes) { return layer < layer_count(planes) ? layer * layer_planes : planes; }

struct Slab {
  int z_begin = 0, z_end = 0;
  bool below = false, above = false;  // is there a neighbour whose planes must be fetched?
  int ghosts_below = 0, ghosts_above = 0;
  bool alone() const { return !below && !above; }
  int planes() const { return z_end - z_begin; }
  int first_plane() const { return z_begin - ghosts_below; }  // of what it computes, ghosts counted
  int end_plane() const { return z_end + ghosts_above; }
};

inline Slab whole(const Plan& plan) { return {0, plan.grid.size[2], false, false, 0, 0}; }

// `count` slabs of nearly the same cost, from below; `counts`: plane_counts of the plan, of which then only grid,
// precision and stencil are looked at. Throws Error (status resource) where they would be thinner than what neighbours
// read of them.
std::vector<Slab> split(const Plan& plan, std::span<const PlaneCounts> counts, int count);
int max_slabs(const Plan& plan, std::span<const PlaneCounts> counts);
inline std::vector<Slab> split(const Plan& plan, int count) { return split(plan, plane_counts(plan), count); }

// What a step costs on a plane, in bytes that move: three values a node; near-wall nodes, walls and their branches
// besides.
std::vector<double> plane_costs(const Plan& plan, std::span<const PlaneCounts> counts);

// A slab's own plan: its planes and ghosts alone, numbered from the lowest; sources by the nodes that are there.
// Receivers are cut by layers: `receiver_of[i]` of the whole plan's is heard in part by receivers[i] of this one; parts
// of one are in the order of z.
struct SlabPlan {
  Slab slab;
  Plan plan;
  std::vector<std::size_t> receiver_of;
  // Of the slab's plan: nodes and branches [begin, end) are its own, no ghosts.
  std::uint64_t own_nodes_begin = 0, own_nodes_end = 0, own_branches_begin = 0, own_branches_end = 0;
  // Its branches, ghosts' too, are these of the whole plan's, one range after the other.
  struct Range {
    std::uint64_t begin = 0, end = 0;
  };
  std::vector<Range> branches;
};
SlabPlan cut(const Plan& plan, const Slab& slab);
// The same of an outline (make_plan.hpp), whose walls about the slab are `planes`; `first_branch`: of the whole plan's
// branches, that of the slab's first plane, ghosts counted.
SlabPlan cut(const Plan& outline, const Slab& slab, const RoomPlanes& planes, std::uint64_t first_branch);

// receiver_of of the slab, without its plan.
std::vector<std::size_t> receiver_parts(const Plan& plan, const Slab& slab);

}  // namespace fdtd
