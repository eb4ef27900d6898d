// Slabs: a backend's part of the grid, planes z_begin..z_end-1. One GPU, or the CPU, takes the slab without
// neighbours.
//
// Layers. Every sum over nodes (energies, the samples of receivers) is formed layer by layer, four planes each, and the
// sums of layers are added in order of z. Slabs begin and end where layers do, so that sums do not depend on the number
// of slabs.
//
// Ghosts. A wall that reads several nodes along z (boundary.hpp) may have them on both sides of a border between slabs.
// Both slabs then compute it, and with it `ghosts` planes of the neighbour; the halo exchange overwrites these with the
// same values. Beyond its planes and ghosts a slab reads as many planes of its neighbour as the stencil's radius.
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
  bool below = false, above = false;  // has a neighbour there, whose planes it reads
  int ghosts_below = 0, ghosts_above = 0;
  bool alone() const { return !below && !above; }
  int planes() const { return z_end - z_begin; }
  int first_plane() const { return z_begin - ghosts_below; }  // of what it computes, ghosts included
  int end_plane() const { return z_end + ghosts_above; }
};

inline Slab whole(const Plan& plan) { return {0, plan.grid.size[2], false, false, 0, 0}; }

// `count` slabs of nearly the same cost, in order of z. `counts`: plane_counts of the plan, of which then only grid,
// precision and stencil are used. Throws Error (status resource) if slabs would be thinner than what their neighbours
// read.
std::vector<Slab> split(const Plan& plan, std::span<const PlaneCounts> counts, int count);
int max_slabs(const Plan& plan, std::span<const PlaneCounts> counts);
inline std::vector<Slab> split(const Plan& plan, int count) { return split(plan, plane_counts(plan), count); }

// Cost of a step by plane, in bytes of memory traffic: three values for each node, and those of near-wall nodes, walls
// and their branches.
std::vector<double> plane_costs(const Plan& plan, std::span<const PlaneCounts> counts);

// A slab's own plan: only its planes and ghosts, nodes numbered from the lowest; sources with the nodes that lie there.
// Receivers are cut by layers: receivers[i] of this plan is a part of receiver `receiver_of[i]` of the whole plan;
// parts of one receiver are in order of z.
struct SlabPlan {
  Slab slab;
  Plan plan;
  std::vector<std::size_t> receiver_of;
  // Nodes and branches of the slab's plan in [begin, end) are its own, without ghosts.
  std::uint64_t own_nodes_begin = 0, own_nodes_end = 0, own_branches_begin = 0, own_branches_end = 0;
  // The ranges of the whole plan's branches that make up the slab's, ghosts included, in order.
  struct Range {
    std::uint64_t begin = 0, end = 0;
  };
  std::vector<Range> branches;
};
SlabPlan cut(const Plan& plan, const Slab& slab);
// The same from an outline (make_plan.hpp) and the walls around the slab, `planes`. `first_branch`: index in the whole
// plan of the first branch on the slab's first plane, ghosts included.
SlabPlan cut(const Plan& outline, const Slab& slab, const RoomPlanes& planes, std::uint64_t first_branch);

// SlabPlan::receiver_of of a slab, without cutting its plan.
std::vector<std::size_t> receiver_parts(const Plan& plan, const Slab& slab);

}  // namespace fdtd
